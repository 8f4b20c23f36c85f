// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "space/device_rules.h"
#include "space/search_space.h"

using namespace ww;
using namespace ww::space;

namespace {

Constraint constraint(const char* id, const char* text, const char* sentence = "") {
    auto expression = expr::Expression::parse(text);
    if (!expression) qFatal("%s", expression.error().toString().c_str());
    return {id, sentence, "", *expression, false};
}

Parameter parameter(const char* name, Value::Tuple values, std::size_t defaultIndex = 0) {
    Parameter made;
    made.name = name;
    made.values = std::move(values);
    made.defaultIndex = defaultIndex;
    return made;
}

SearchSpace tileSpace() {
    SearchSpace::Options options;
    options.constants.set("limit", 49152);
    auto space = SearchSpace::create({parameter("TILE", {16, 32, 64, 128}, 1), parameter("VEC", {1, 2, 4}), parameter("TYPE", {"fp16", "fp32"}),
                                      parameter("BLOCK", {Value(Value::Tuple{32, 8}), Value(Value::Tuple{64, 32})})},
                                     {constraint("spec:0", "TILE * TILE * 4 <= limit", "the tile fits"),
                                      constraint("spec:1", "TYPE == 'fp16' or VEC < 4"),
                                      constraint("spec:2", "BLOCK[0] * BLOCK[1] <= 1024 and TILE % VEC == 0")},
                                     std::move(options));
    if (!space) qFatal("%s", space.error().toString().c_str());
    return *space;
}

}  // namespace

class TestSearchSpace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesBadInput();
    void countsStringsAndTuples();
    void explains_data();
    void explains();
    void parsesAssignments_data();
    void parsesAssignments();
    void refusesAssignments_data();
    void refusesAssignments();
    void travelsThroughJson();
    void readsJsonStrictly();
    void emptySpaces();
    void shortCircuitsAsPython();
    void errorsRefuse();
    void pinsAndBans();
    void sharedCopiesOutliveTheFirst();
    void deviceRulesLimitTheBlock();
    void deviceRulesRefuseBadText();
    void words();
};

void TestSearchSpace::refusesBadInput() {
    COMPARE_ERR(SearchSpace::create({parameter("A", {1}), parameter("A", {2})}, {}, {}), ErrorCode::InvalidSpec);
    COMPARE_ERR(SearchSpace::create({parameter("A", {})}, {}, {}), ErrorCode::InvalidSpec);
    COMPARE_ERR(SearchSpace::create({parameter("A", {1}, 1)}, {}, {}), ErrorCode::InvalidSpec);
    COMPARE_ERR(SearchSpace::create({parameter("A", Value::Tuple(65536, Value(1)))}, {}, {}), ErrorCode::InvalidSpec);
    const auto space = SearchSpace::create({parameter("TILE", {1})}, {constraint("spec:0", "1 < TILEE")}, {});
    COMPARE_ERR(space, ErrorCode::InvalidExpression);
    const QString message = QString::fromStdString(space.error().toString());
    QVERIFY2(message.contains("column 5") && message.contains("did you mean 'TILE'") && message.contains("spec:0"), qPrintable(message));
}

void TestSearchSpace::countsStringsAndTuples() {
    const SearchSpace space = tileSpace();
    QCOMPARE(space.cartesianSize(), 48.0);
    QCOMPARE(space.countValid().value, 15.0);
    QVERIFY(space.isValid(space.defaultConfiguration()));
    QCOMPARE(space.rejectedBy().at("spec:0").value, 12.0);
    QCOMPARE(space.rejectedBy().at("spec:1").value, 8.0);
    QCOMPARE(space.rejectedBy().at("spec:2").value, 24.0);
}

void TestSearchSpace::explains_data() {
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("comparison") << "TILE=128" << "spec:0" << "the tile fits: TILE * TILE * 4 = 65536 > limit = 49152";
    QTest::newRow("or") << "TYPE=fp32,VEC=4" << "spec:1" << "TYPE = 'fp32' != 'fp16' and VEC = 4 >= 4";
    QTest::newRow("and") << "BLOCK=(64,32)" << "spec:2" << "BLOCK[0] * BLOCK[1] = 2048 > 1024";
}

void TestSearchSpace::explains() {
    QFETCH(QString, assignment);
    QFETCH(QString, id);
    QFETCH(QString, sentence);
    const SearchSpace space = tileSpace();
    const auto configuration = space.parse(assignment.toStdString(), space.defaultConfiguration());
    VERIFY_OK(configuration);
    const auto rejection = space.explain(*configuration);
    QVERIFY(rejection.has_value());
    QCOMPARE(QString::fromStdString(rejection->constraintId), id);
    QCOMPARE(QString::fromStdString(rejection->sentence), sentence);
}

void TestSearchSpace::parsesAssignments_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");
    QTest::newRow("none") << "" << "TILE=32 VEC=1 TYPE=fp16 BLOCK=32x8";
    QTest::newRow("two") << "TILE=64,VEC=4" << "TILE=64 VEC=4 TYPE=fp16 BLOCK=32x8";
    QTest::newRow("blanks") << " TILE = 64 , VEC= 2 " << "TILE=64 VEC=2 TYPE=fp16 BLOCK=32x8";
    QTest::newRow("quoted") << "TYPE='fp32'" << "TILE=32 VEC=1 TYPE=fp32 BLOCK=32x8";
    QTest::newRow("bare word") << "TYPE=fp32" << "TILE=32 VEC=1 TYPE=fp32 BLOCK=32x8";
    QTest::newRow("tuple") << "BLOCK=(64, 32),TILE=16" << "TILE=16 VEC=1 TYPE=fp16 BLOCK=64x32";
    QTest::newRow("list") << "BLOCK=[64,32]" << "TILE=32 VEC=1 TYPE=fp16 BLOCK=64x32";
    QTest::newRow("hex") << "TILE=0x40" << "TILE=64 VEC=1 TYPE=fp16 BLOCK=32x8";
}

void TestSearchSpace::parsesAssignments() {
    QFETCH(QString, text);
    QFETCH(QString, shown);
    const SearchSpace space = tileSpace();
    const auto configuration = space.parse(text.toStdString(), space.defaultConfiguration());
    VERIFY_OK(configuration);
    QCOMPARE(QString::fromStdString(space.display(*configuration)), shown);
}

void TestSearchSpace::refusesAssignments_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("no value") << "TILE" << "write TILE=64";
    QTest::newRow("unknown") << "TIEL=64" << "did you mean 'TILE'";
    QTest::newRow("outside") << "TILE=63" << "they are 16, 32, 64, 128";
    QTest::newRow("no text") << "TILE=" << "they are 16, 32, 64, 128";
    QTest::newRow("twice") << "TILE=16,TILE=32" << "given twice";
    QTest::newRow("code") << "TILE=__import__('os')" << "none of its values";
    QTest::newRow("comma") << "TILE=16,," << "no NAME=VALUE";
}

void TestSearchSpace::refusesAssignments() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const SearchSpace space = tileSpace();
    const auto configuration = space.parse(text.toStdString(), space.defaultConfiguration());
    COMPARE_ERR(configuration, ErrorCode::InvalidArgument);
    QVERIFY2(QString::fromStdString(configuration.error().toString()).contains(part), configuration.error().toString().c_str());
}

void TestSearchSpace::travelsThroughJson() {
    const SearchSpace space = tileSpace();
    space.forEachValid([&](const Configuration& configuration) {
        const auto read = space.fromJson(space.toJson(configuration));
        if (!read || *read != configuration) QTest::qFail("a configuration changed on its way through JSON", __FILE__, __LINE__);
        return true;
    });
    QCOMPARE(QString::fromStdString(space.toJson(space.defaultConfiguration()).dump()),
             QStringLiteral("{\"TILE\":32,\"VEC\":1,\"TYPE\":\"fp16\",\"BLOCK\":[32,8]}"));
}

void TestSearchSpace::readsJsonStrictly() {
    const SearchSpace space = tileSpace();
    Json json = space.toJson(space.defaultConfiguration());
    json["TILE"] = 33;
    COMPARE_ERR(space.fromJson(json), ErrorCode::InvalidArgument);
    json.erase("TILE");
    COMPARE_ERR(space.fromJson(json), ErrorCode::InvalidArgument);
    json["TILE"] = 32;
    json["MORE"] = 1;
    COMPARE_ERR(space.fromJson(json), ErrorCode::InvalidArgument);
    COMPARE_ERR(space.fromJson(Json::array()), ErrorCode::InvalidArgument);
}

void TestSearchSpace::emptySpaces() {
    for (const char* text : {"A > 5", "1 > 2", "A / 0 == 1", "A == 1 and A == 2"}) {
        const auto space = SearchSpace::create({parameter("A", {1, 2}), parameter("B", {1, 2, 3})}, {constraint("spec:0", text)}, {});
        VERIFY_OK(space);
        QVERIFY2(space->isEmpty(), text);
        SplitMix64 rng(1);
        QVERIFY(!space->sample(rng).has_value());
        QCOMPARE(space->countValid().value, 0.0);
        QCOMPARE(space->rejectedBy().at("spec:0").value, 6.0);
        QCOMPARE(space->feasibleValues({std::nullopt, std::nullopt}, 1), (std::vector<bool>{false, false, false}));
        QVERIFY(space->explain(space->defaultConfiguration()).has_value());
    }
    const auto none = SearchSpace::create({}, {}, {});
    VERIFY_OK(none);
    QCOMPARE(none->countValid().value, 1.0);
}

void TestSearchSpace::shortCircuitsAsPython() {
    // B == 0 protects the division behind it; a check of `A % B` before B is looked at would refuse two good ones.
    const auto space = SearchSpace::create({parameter("A", {4, 5}), parameter("B", {0, 2})}, {constraint("spec:0", "B == 0 or A % B == 0")}, {});
    VERIFY_OK(space);
    QCOMPARE(space->countValid().value, 3.0);
    const auto turned = SearchSpace::create({parameter("A", {4, 5}), parameter("B", {0, 2})}, {constraint("spec:0", "A % B == 0 or B == 0")}, {});
    VERIFY_OK(turned);
    QCOMPARE(turned->countValid().value, 1.0);
}

void TestSearchSpace::errorsRefuse() {
    const auto space = SearchSpace::create({parameter("A", {0, 1})}, {constraint("spec:0", "8 // A > 1")}, {});
    VERIFY_OK(space);
    QCOMPARE(space->countValid().value, 1.0);
    const auto rejection = space->explain(space->defaultConfiguration());
    QVERIFY(rejection.has_value());
    const QString sentence = QString::fromStdString(rejection->sentence);
    QVERIFY2(sentence.contains("8 // A > 1") && sentence.contains("division by zero") && sentence.contains("A = 0"), qPrintable(sentence));
}

void TestSearchSpace::pinsAndBans() {
    const SearchSpace space = tileSpace();
    ValueMask mask = space.fullMask();
    mask[2] = {false, true};          // TYPE pinned to fp32
    mask[0] = {true, true, false, true};  // TILE=64 banned
    QCOMPARE(space.countValid(&mask).value, 4.0);
    QCOMPARE(space.countValid().value, 15.0);
    QCOMPARE(space.feasibleValues(std::vector<std::optional<std::uint16_t>>(4), 1, &mask), (std::vector<bool>{true, true, false}));
    mask[1] = {false, false, true};   // VEC pinned to 4, which fp32 forbids
    QCOMPARE(space.countValid(&mask).value, 0.0);
    SplitMix64 rng(3);
    QVERIFY(!space.sample(rng, &mask).has_value());
}

void TestSearchSpace::sharedCopiesOutliveTheFirst() {
    std::optional<SearchSpace> first = tileSpace();
    const SearchSpace second = *first;
    first.reset();
    QCOMPARE(second.countValid().value, 15.0);
}

void TestSearchSpace::deviceRulesLimitTheBlock() {
    SearchSpace::Options options;
    for (const auto& [name, value] : {std::pair{"max_block_x", 1024}, {"max_block_y", 1024}, {"max_block_z", 64}, {"max_threads_per_block", 1024},
                                      {"smem_per_block_optin", 49152}})
        options.constants.set(name, value);
    const auto rules = deviceRules({"BX", "BY // 2", "1"}, "BX * BY * 4");
    VERIFY_OK(rules);
    const auto space = SearchSpace::create({parameter("BX", {32, 64, 2048}), parameter("BY", {1, 2, 64, 512})}, *rules, std::move(options));
    VERIFY_OK(space);
    // BY=1 leaves no thread, BX=2048 is too wide, 64x64//2 is too many threads, 512 rows need too much shared memory.
    QCOMPARE(space->countValid().value, 3.0);
    const auto threads = space->parse("BX=64,BY=64", space->defaultConfiguration());
    VERIFY_OK(threads);
    const auto rejection = space->explain(*threads);
    QVERIFY(rejection.has_value());
    QCOMPARE(rejection->constraintId, std::string("rule:block_threads"));
    QCOMPARE(QString::fromStdString(rejection->sentence),
             QStringLiteral("the device limits the threads of a block: (BX) * (BY // 2) * (1) = 2048 > max_threads_per_block = 1024"));
    QVERIFY(!rejection->suggestion.empty());
    QVERIFY(space->constraints().front().builtIn);
}

void TestSearchSpace::deviceRulesRefuseBadText() {
    COMPARE_ERR(deviceRules({"1", "1", "1", "1"}, ""), ErrorCode::InvalidArgument);
    COMPARE_ERR(deviceRules({"1) + (2"}, ""), ErrorCode::InvalidExpression);
    COMPARE_ERR(deviceRules({}, "A +"), ErrorCode::InvalidExpression);
    const auto none = deviceRules({}, "");
    VERIFY_OK(none);
    QVERIFY(none->empty());
}

void TestSearchSpace::words() {
    for (const Scale scale : {Scale::Ordinal, Scale::Log2, Scale::Categorical, Scale::Boolean})
        QVERIFY(scaleFrom(toString(scale)) == scale);
    for (const Site site : {Site::Macro, Site::Constexpr, Site::Template, Site::Launch, Site::Option, Site::Define})
        QVERIFY(siteFrom(toString(site)) == site);
    QVERIFY(!scaleFrom("linear") && !siteFrom("file"));
}

QTEST_APPLESS_MAIN(TestSearchSpace)
#include "tst_search_space.moc"
