// SPDX-License-Identifier: Apache-2.0
#include "engine/steering.h"
#include "result_test.h"

using namespace ww;
using engine::Steering;

namespace {

/// Two parameters; A = 4 only goes with B = 1.
space::SearchSpace makeSpace() {
    space::Parameter a{"A", {1, 2, 4}, 0, space::Scale::Log2, space::Site::Macro, {}, {}};
    space::Parameter b{"B", {0, 1}, 0, space::Scale::Boolean, space::Site::Macro, {}, {}};
    space::Constraint rule{"spec:0", "A * 2 <= 4 unless B", {}, *expr::Expression::parse("A < 4 or B == 1"), false};
    return *space::SearchSpace::create({a, b}, {rule}, {});
}

int allowedCount(const Steering& steering, std::size_t parameter) {
    const auto& row = steering.mask()[parameter];
    return static_cast<int>(std::count(row.begin(), row.end(), true));
}

}  // namespace

class TestSteering : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pinLeavesOneValue() {
        const auto space = makeSpace();
        Steering steering(space);
        VERIFY_OK(steering.pin("A", 2));
        QCOMPARE(allowedCount(steering, 0), 1);
        QVERIFY(steering.mask()[0][1]);
        QVERIFY(steering.allows({{1, 0}}));
        QVERIFY(!steering.allows({{0, 0}}));
        VERIFY_OK(steering.pin("A", 1));  // another pin of the same parameter replaces the first
        QVERIFY(steering.mask()[0][0] && !steering.mask()[0][1]);
        VERIFY_OK(steering.unpin("A"));
        QCOMPARE(allowedCount(steering, 0), 3);
    }

    void bansSurviveAPin() {
        const auto space = makeSpace();
        Steering steering(space);
        VERIFY_OK(steering.ban("A", 1));
        VERIFY_OK(steering.pin("A", 2));
        VERIFY_OK(steering.unpin("A"));
        QVERIFY(!steering.mask()[0][0]);
        VERIFY_OK(steering.unban("A", 1));
        QCOMPARE(allowedCount(steering, 0), 3);
    }

    void refusesWhatWouldLeaveNothing() {
        const auto space = makeSpace();
        Steering steering(space);
        VERIFY_OK(steering.pin("A", 4));
        const auto before = steering.mask();
        COMPARE_ERR(steering.pin("B", 0), ErrorCode::EmptySpace);  // A = 4 needs B = 1
        COMPARE_ERR(steering.ban("B", 1), ErrorCode::EmptySpace);
        QVERIFY(steering.mask() == before);
        COMPARE_ERR(steering.ban("A", 4), ErrorCode::InvalidArgument);  // pinned
        VERIFY_OK(steering.unpin("A"));
        VERIFY_OK(steering.ban("B", 0));
        COMPARE_ERR(steering.ban("B", 1), ErrorCode::EmptySpace);
    }

    void namesWhatIsUnknown() {
        const auto space = makeSpace();
        Steering steering(space);
        const auto parameter = steering.pin("a", 1);
        COMPARE_ERR(parameter, ErrorCode::InvalidArgument);
        QVERIFY(parameter.error().message.find("\"A\"") != std::string::npos);
        const auto value = steering.pin("A", 3);
        COMPARE_ERR(value, ErrorCode::InvalidArgument);
        QVERIFY(value.error().message.find("1, 2, 4") != std::string::npos);
    }

    void replaysItsOwnEvents() {
        const auto space = makeSpace();
        Steering steering(space);
        store::EventRecord event;
        event.kind = "pin";
        event.data = {{"parameter", "A"}, {"value", 2}};
        steering.replay(event);
        event.kind = "ban";
        event.data = {{"parameter", "B"}, {"value", 1}};
        steering.replay(event);
        QCOMPARE(allowedCount(steering, 0), 1);
        QCOMPARE(allowedCount(steering, 1), 1);
        event.data = {{"parameter", "gone"}, {"value", 1}};
        steering.replay(event);  // a parameter that no longer exists is left out
        QCOMPARE(allowedCount(steering, 1), 1);
    }

    void readsAssignments_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        QTest::newRow("int") << "TILE=64" << "64";
        QTest::newRow("bool") << "PAD=True" << "True";
        QTest::newRow("word") << "ACC=fp16" << "'fp16'";
        QTest::newRow("quoted") << "ACC='fp16'" << "'fp16'";
        QTest::newRow("tuple") << "BLOCK=(16, 8)" << "(16, 8)";
        QTest::newRow("missing value") << "TILE=" << "";
        QTest::newRow("missing name") << "=3" << "";
        QTest::newRow("no equals") << "TILE" << "";
    }
    void readsAssignments() {
        QFETCH(QString, text);
        QFETCH(QString, value);
        const auto parsed = Steering::parseAssignment(text.toStdString());
        if (value.isEmpty()) {
            COMPARE_ERR(parsed, ErrorCode::InvalidArgument);
        } else {
            VERIFY_OK(parsed);
            QCOMPARE(QString::fromStdString(parsed->second.repr()), value);
        }
    }
};

QTEST_GUILESS_MAIN(TestSteering)
#include "tst_steering.moc"
