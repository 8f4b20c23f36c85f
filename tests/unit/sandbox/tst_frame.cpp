// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "sandbox/frame.h"
#include "sandbox/output_tail.h"

using namespace ww;
using namespace ww::sandbox;

namespace {

std::vector<std::byte> encoded(const Message& message) {
    auto bytes = encodeFrameHead(message).value();
    bytes.insert(bytes.end(), message.attachment.begin(), message.attachment.end());
    return bytes;
}

}  // namespace

class TestFrame : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesOnTheWire() {
        const auto bytes = encoded({Json{{"a", 1}}, {std::byte{7}}});
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        QCOMPARE(text, std::string("\x07\0\0\0\x01\0\0\0{\"a\":1}\x07", 16));
    }

    void comesThroughInAnyPieces_data() {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 3, 8, 9, 100000}) QTest::addRow("%d bytes", piece) << piece;
    }
    void comesThroughInAnyPieces() {
        QFETCH(int, piece);
        auto stream = encoded({Json{{"text", "first"}}, {}});
        const auto second = encoded({Json{{"text", "second"}}, std::vector<std::byte>(1000, std::byte{42})});
        stream.insert(stream.end(), second.begin(), second.end());
        FrameReader reader;
        std::vector<Message> got;
        for (std::size_t at = 0; at < stream.size(); at += static_cast<std::size_t>(piece)) {
            reader.feed(std::span(stream).subspan(at, std::min(static_cast<std::size_t>(piece), stream.size() - at)));
            for (;;) {
                auto message = reader.next();
                VERIFY_OK(message);
                if (!*message) break;
                got.push_back(**message);
            }
        }
        QCOMPARE(got.size(), std::size_t{2});
        QCOMPARE(got[0].body["text"].get<std::string>(), std::string("first"));
        QCOMPARE(got[1].attachment.size(), std::size_t{1000});
        QVERIFY(got[1].attachment.back() == std::byte{42});
    }

    void refusesWhatIsNoFrame_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("absurd length") << QByteArray("\xff\xff\xff\xff\0\0\0\0", 8);
        QTest::newRow("absurd attachment") << QByteArray("\x02\0\0\0\xff\xff\xff\xff{}", 10);
        QTest::newRow("text") << QByteArray("hello, I am a candidate");
        QTest::newRow("broken JSON") << QByteArray("\x02\0\0\0\0\0\0\0{]", 10);
    }
    void refusesWhatIsNoFrame() {
        QFETCH(QByteArray, bytes);
        FrameReader reader;
        reader.feed(std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
        COMPARE_ERR(reader.next(), ErrorCode::WorkerFailed);
    }

    void invalidUtf8IsReplaced() {
        const auto bytes = encoded({Json{{"log", "caf\xe9.cu: error"}}, {}});
        FrameReader reader;
        reader.feed(bytes);
        const auto message = reader.next();
        VERIFY_OK(message);
        QCOMPARE((**message).body["log"].get<std::string>(), std::string("caf\xef\xbf\xbd.cu: error"));
    }

    void tailIsBounded() {
        OutputTail tail(1000);
        for (int i = 0; i < 100000; ++i) tail.append("0123456789");
        tail.append("the end");
        const std::string text = tail.take();
        QVERIFY(text.size() < 1100);
        QVERIFY(text.ends_with("the end"));
        QVERIFY(text.starts_with("[999007 bytes before this were dropped]"));
        QCOMPARE(tail.take(), std::string());
    }
};

QTEST_GUILESS_MAIN(TestFrame)
#include "tst_frame.moc"
