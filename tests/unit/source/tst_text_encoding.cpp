// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/rng.h"
#include "result_test.h"
#include "source/source_model.h"
#include "source/text_encoding.h"

using namespace ww;
using namespace ww::source;

namespace {

const char* const kSource = "// 矩阵 Größe 😀\n#define TILE 64\n__global__ void k(int* a) { a[0] = TILE; }\n";

QByteArray utf16(const QString& text, bool little, bool mark) {
    QStringEncoder encoder(little ? QStringEncoder::Utf16LE : QStringEncoder::Utf16BE, mark ? QStringEncoder::Flag::WriteBom : QStringEncoder::Flag::Default);
    return encoder(text);
}

}  // namespace

class TestTextEncoding : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void files_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("note");  // empty: nothing to tell
        const QByteArray plain(kSource);
        const QString words = QString::fromUtf8(kSource);
        const QByteArray mark("\xEF\xBB\xBF");
        const QByteArray latin = QString(words).remove(QStringLiteral("矩阵 ")).remove(QStringLiteral(" 😀")).toLatin1();
        const QByteArray latinText = QString::fromLatin1(latin).toUtf8();
        QTest::newRow("UTF-8") << plain << plain << "utf-8" << "";
        QTest::newRow("no newline at the end") << plain.chopped(1) << plain.chopped(1) << "utf-8" << "";
        QTest::newRow("empty") << QByteArray() << QByteArray() << "utf-8" << "";
        QTest::newRow("CRLF") << QByteArray(plain).replace("\n", "\r\n") << QByteArray(plain).replace("\n", "\r\n") << "utf-8" << "";
        QTest::newRow("byte order mark") << mark + plain << plain << "utf-8, byte order mark" << "byte order mark";
        QTest::newRow("only a mark") << mark << QByteArray() << "utf-8, byte order mark" << "byte order mark";
        QTest::newRow("CR") << QByteArray(plain).replace("\n", "\r") << plain << "utf-8, CR line ends" << "carriage return";
        QTest::newRow("mark and CR") << mark + QByteArray(plain).replace("\n", "\r") << plain << "utf-8, byte order mark, CR line ends" << "carriage return";
        QTest::newRow("a CR among LFs") << QByteArray("int a;\n// x\r y\n") << QByteArray("int a;\n// x\r y\n") << "utf-8" << "line 2 holds a lone carriage return";
        QTest::newRow("UTF-16 LE") << utf16(words, true, true) << plain << "utf-16le, byte order mark" << "UTF-16";
        QTest::newRow("UTF-16 BE") << utf16(words, false, true) << plain << "utf-16be, byte order mark" << "UTF-16";
        QTest::newRow("UTF-16 LE without a mark") << utf16(words, true, false) << plain << "utf-16le" << "without a byte order mark";
        QTest::newRow("UTF-16 BE without a mark") << utf16(words, false, false) << plain << "utf-16be" << "without a byte order mark";
        QTest::newRow("UTF-16 CR") << utf16(QString(words).replace(u'\n', u'\r'), true, true) << plain << "utf-16le, byte order mark, CR line ends" << "UTF-16";
        QTest::newRow("U+4E00, a NUL on the wrong side") << utf16(QStringLiteral("// 一二 one two three four\n"), true, false) << QByteArray("// 一二 one two three four\n") << "utf-16le" << "UTF-16";
        QTest::newRow("Latin-1") << latin << latinText << "latin-1" << "line 1 has bytes that are no UTF-8";
        QTest::newRow("Latin-1 behind a mark") << mark + latin << latinText << "latin-1, byte order mark" << "Latin-1";
        QTest::newRow("Latin-1 CR") << QByteArray(latin).replace("\n", "\r") << latinText << "latin-1, CR line ends" << "Latin-1";
        QTest::newRow("GBK") << QByteArray("// \xBE\xD8\xD5\xF3\nint a;\n") << QByteArray("// ¾ØÕó\nint a;\n") << "latin-1" << "Latin-1";
        QTest::newRow("overlong") << QByteArray("\xC0\xAF") << QByteArray("À¯") << "latin-1" << "Latin-1";
        QTest::newRow("cut off") << QByteArray("a\xE4\xB8") << QByteArray("aä¸") << "latin-1" << "Latin-1";
    }

    void files() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, text);
        QFETCH(QString, format);
        QFETCH(QString, note);
        const auto decoded = decodeText(bytes.toStdString());
        VERIFY_OK(decoded);
        QCOMPARE(QByteArray::fromStdString(decoded->text), text);
        QCOMPARE(QString::fromStdString(decoded->format.name()), format);
        QCOMPARE(decoded->notes.empty(), note.isEmpty());
        std::string told;
        for (const auto& one : decoded->notes) told += one + "\n";
        QVERIFY2(QString::fromStdString(told).contains(note), told.c_str());
        const auto encoded = encodeText(decoded->text, decoded->format);
        VERIFY_OK(encoded);
        QCOMPARE(QByteArray::fromStdString(*encoded), bytes);
    }

    void noText_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("UTF-32 LE") << QByteArray("\xFF\xFE\0\0a\0\0\0", 8) << "UTF-32";
        QTest::newRow("UTF-32 BE") << QByteArray("\0\0\xFE\xFF\0\0\0a", 8) << "UTF-32";
        QTest::newRow("binary") << QByteArray("\x7F" "ELF\n\2\1\1\0\0\0\0\0", 13) << "NUL character on line 2";
        QTest::newRow("a lone NUL") << QByteArray("int a;\0", 7) << "NUL";
        QTest::newRow("odd UTF-16") << QByteArray("\xFF\xFE" "a\0b", 5) << "middle of a character";
        QTest::newRow("half a pair") << QByteArray("\xFF\xFE" "a\0\n\0\x3D\xD8" "b\0", 10) << "half a character on line 2";
        QTest::newRow("half a pair at the end") << QByteArray("\xFF\xFE" "a\0\x3D\xD8", 6) << "half a character";
    }

    void noText() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const auto decoded = decodeText(bytes.toStdString());
        COMPARE_ERR(decoded, ErrorCode::ParseError);
        QVERIFY2(QString::fromStdString(decoded.error().message).contains(says), decoded.error().message.c_str());
    }

    /// Whatever decodes is written back as it came: random bytes, and random cuts of real files.
    void everythingComesBack() {
        SplitMix64 rng(5);
        const QList<QByteArray> pieces{"int a;\n", "\r", "\r\n", "\xEF\xBB\xBF", "矩", "\xE9", "\xFF\xFE", "\xFE\xFF", QByteArray("a\0", 2), QByteArray("\0b", 2), "\xF0\x9F\x98\x80", "\xED\xA0\x80"};
        int decodable = 0;
        for (int round = 0; round < 4000; ++round) {
            QByteArray bytes;
            const std::size_t count = rng.below(8);
            for (std::size_t i = 0; i < count; ++i) {
                if (rng.below(4) == 0) bytes += static_cast<char>(rng.below(256));
                else bytes += pieces[static_cast<qsizetype>(rng.below(static_cast<std::uint64_t>(pieces.size())))];
            }
            const auto decoded = decodeText(bytes.toStdString());
            if (!decoded) continue;
            ++decodable;
            const auto encoded = encodeText(decoded->text, decoded->format);
            VERIFY_OK(encoded);
            QCOMPARE(QByteArray::fromStdString(*encoded), bytes);
        }
        QVERIFY(decodable > 2000);
    }

    void whatTheEncodingLacks() {
        COMPARE_ERR(encodeText("// 矩", {Encoding::Latin1, false, false}), ErrorCode::InvalidArgument);
        COMPARE_ERR(encodeText("\xFF", {Encoding::Utf16Le, false, false}), ErrorCode::InvalidArgument);
        VERIFY_OK(encodeText("// é", {Encoding::Latin1, false, false}));
    }

    /// The model of a file is the same whatever its encoding, and so are the lines it names.
    void modelsOfFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        const QString words = QString::fromUtf8(kSource);
        QTest::newRow("UTF-8") << QByteArray(kSource);
        QTest::newRow("mark, CRLF") << "\xEF\xBB\xBF" + QByteArray(kSource).replace("\n", "\r\n");
        QTest::newRow("CR") << QByteArray(kSource).replace("\n", "\r");
        QTest::newRow("UTF-16 BE") << utf16(words, false, true);
        QTest::newRow("Latin-1") << QByteArray("// Gr\xF6\xDF" "e\n#define TILE 64\n__global__ void k(int* a) { a[0] = TILE; }");
    }

    void modelsOfFiles() {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("核 心 é.cu"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        file.close();
        const auto model = loadCuda(path.toStdString());
        VERIFY_OK(model);
        const auto* tile = model->findParameter("TILE");
        QVERIFY(tile != nullptr && tile->text == "64" && tile->line == 2);
        QCOMPARE(model->entries.front().line, 3);
        QVERIFY(model->problems.empty());
        QCOMPARE(QByteArray::fromStdString(*encodeText(model->text, model->format)), bytes);
    }

    void errorsNameTheFile() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("binary.cu")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray("\0\1\2", 3)) == 3);
        file.close();
        const auto model = loadCuda(file.fileName().toStdString());
        COMPARE_ERR(model, ErrorCode::ParseError);
        QVERIFY(model.error().context == file.fileName().toStdString());
    }
};

QTEST_GUILESS_MAIN(TestTextEncoding)
#include "tst_text_encoding.moc"
