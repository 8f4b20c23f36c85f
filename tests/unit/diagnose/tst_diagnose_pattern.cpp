// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>

#include "diagnose/compiler_log.h"
#include "diagnose/pattern.h"
#include "diagnose/source_place.h"
#include "result_test.h"

using namespace ww;
using namespace ww::diagnose;

class TestDiagnosePattern : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finds_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("captures");
        const auto row = [](const char* name, const char* pattern, const char* line, const char* captures) {
            QTest::newRow(name) << QByteArray(pattern) << QByteArray(line) << QByteArray(captures);
        };
        row("text", "two", "one two three", "");
        row("absent", "four", "one two three", "-");
        row("decimal", "uses {bytes:number} bytes", "it uses 512 bytes", "bytes=512 ");
        row("hexadecimal", "uses {bytes:number} bytes", "it uses 0x13880 bytes", "bytes=80000 ");
        row("no number", "uses {bytes:number} bytes", "it uses some bytes", "-");
        row("second place fits", "uses {bytes:number} bytes", "uses no bytes, uses 7 bytes", "bytes=7 ");
        row("word", "name '{name:word}'", "a name 'a::b<3>' here", "name=a::b<3> ");
        row("empty word", "name '{name:word}'", "a name '' here", "-");
        row("shortest gap", "\"{text}\"", "say \"a\" and \"b\"", "text=a ");
        row("gap to the end", "because {text}", "because of  that \r", "text=of  that ");
        row("nameless gap", "a{}c {n:number}", "a b c 3", "n=3 ");
        row("order matters", "b{}a", "a b", "-");
        row("number too long", "n={n:number};", "n=99999999999999999999999999;", "-");
    }
    void finds() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, captures);
        const auto parsed = Pattern::parse(pattern.toStdString());
        VERIFY_OK(parsed);
        Captures found;
        QByteArray text;
        if (!parsed->find(line.toStdString(), found)) text = "-";
        for (const auto& [name, value] : found) text += QByteArray::fromStdString(name + "=" + value + " ");
        QCOMPARE(text, captures);
    }

    void refusesBrokenPatterns_data() {
        QTest::addColumn<QByteArray>("pattern");
        for (const char* text : {"", "{name}", "open {name", "kind {name:regex}", "gap {a}{b}"}) QTest::newRow(text) << QByteArray(text);
    }
    void refusesBrokenPatterns() {
        QFETCH(QByteArray, pattern);
        COMPARE_ERR(Pattern::parse(pattern.toStdString()), ErrorCode::ParseError);
    }

    void readsPlaces_data() {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const char* log, int line, int column) { QTest::newRow(name) << QByteArray(log) << line << column; };
        row("NVRTC with caret", "my kernel.cu(12): error: no\n      int x = 3;\n          ^\n", 12, 9);
        row("g++", "my kernel.cu:12:5: error: no\n", 12, 5);
        row("g++ without column", "my kernel.cu:12: error: no\n", 12, 0);
        row("with its folder", "/home/a b/my kernel.cu:12:5: error: no\n", 12, 5);
        row("macro", "kernel.cpp:2:11: error: no\n    2 | #define N 64\nmy kernel.cu:7:9: note: in expansion of macro 'N'\n", 7, 9);
        row("header above", "In file included from my kernel.cu:3:\n/h/a.h:9:1: error: no\n", 3, 0);
        row("nested header", "In file included from /h/b.h:1,\n                 from my kernel.cu:4:\n/h/a.h:9:1: error: no\n", 4, 0);
        row("NVRTC's instantiation", "a.h(3): error: no\n  x\n  ^\n    detected during instantiation of \"f\" at line 6 of \"my kernel.cu\"\n", 6, 0);
        row("another file", "other.cu(12): error: no\n", 0, 0);
        row("name within a name", "not my kernel.cux:12:5: error: no\n", 0, 0);
        row("huge number", "my kernel.cu:99999999999999999999:5: error: no\n", 0, 0);
    }
    void readsPlaces() {
        QFETCH(QByteArray, log);
        const auto text = log.toStdString();
        const CompilerLog parsed(text);
        QCOMPARE(parsed.errors().size(), std::size_t{1});
        const auto place = parsed.placeInFile(parsed.errors().front().index, "my kernel.cu");
        QTEST(place.line, "line");
        QTEST(place.column, "column");
    }

    void findsWordsOfTheKernel() {
        const std::string source = "// __shared__ in a comment\n__global__ void other() { __shared__ int a[4]; }\n/* k(\n*/ __global__ void k(int n)\n{\n  __shared__ int b[4];\n}\n";
        QCOMPARE(findWord(source, "__shared__", "k").line, 6);
        QCOMPARE(findWord(source, "__shared__", "k").column, 3);
        QCOMPARE(findWord(source, "__shared__", "other").line, 2);
        QCOMPARE(findWord(source, "__shared__", "absent").line, 2);
        QCOMPARE(findWord(source, "absent", "k").line, 0);
        QCOMPARE(includeLine("#include <a.h>\n  # include \"dir/b.h\"\n", "/x/b.h"), 2);
        QCOMPARE(includeLine("#include <a.h>\n", "/x/b.h"), 0);
    }

    void tellsDeclarationsFromUses_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("declares");
        for (const char* text : {"template <int N>", "float* y, int N) {", "const int N = 3;", "typename N>", "int *N;"}) QTest::newRow(text) << QByteArray(text) << true;
        for (const char* text : {"y[N] = 1;", "return N;", "a + N", "f(N);", "int NN;", "case N:", "#define N 64", ""}) QTest::newRow(text) << QByteArray(text) << false;
    }
    void tellsDeclarationsFromUses() {
        QFETCH(QByteArray, text);
        QTEST(declaredName(text.toStdString(), {"TILE", "N"}).has_value(), "declares");
    }
};

QTEST_GUILESS_MAIN(TestDiagnosePattern)
#include "tst_diagnose_pattern.moc"
