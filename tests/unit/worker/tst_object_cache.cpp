// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "result_test.h"
#include "worker/object_cache.h"

using namespace ww;
using namespace ww::worker;
namespace fs = std::filesystem;

namespace {

compile::CompileResult object(std::size_t bytes, TrialStatus status = TrialStatus::Ok) {
    compile::CompileResult result;
    result.status = status;
    result.object.assign(bytes, std::byte{0x7f});
    result.entry = "launch";
    result.log = "note: fine";
    result.seconds = 1.5;
    return result;
}

std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
}

}  // namespace

class TestObjectCache : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path folder(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void survivesTheProcess() {
        const fs::path place = folder("survives");
        ObjectCache(place).store("key", object(1000));
        ObjectCache other(place);
        const auto found = other.find("key");
        QVERIFY(found.has_value());
        QVERIFY(found->cached);
        QVERIFY(found->object == object(1000).object);
        QCOMPARE(found->entry, std::string("launch"));
        QCOMPARE(found->log, std::string("note: fine"));
        QVERIFY(!other.find("another key").has_value());
    }

    void damagedFilesAreAbsent_data() {
        QTest::addColumn<bool>("cut");
        QTest::newRow("a flipped byte") << false;
        QTest::newRow("cut short") << true;
    }
    void damagedFilesAreAbsent() {
        QFETCH(bool, cut);
        const fs::path place = folder(cut ? "cut" : "flipped");
        ObjectCache(place).store("key", object(1000));
        const auto files = filesIn(place);
        QCOMPARE(files.size(), std::size_t{1});
        if (cut) {
            fs::resize_file(files[0], fs::file_size(files[0]) - 10);
        } else {
            std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(-20, std::ios::end);
            file.put('\x01');
        }
        QVERIFY(!ObjectCache(place).find("key").has_value());
        QVERIFY(filesIn(place).empty());
    }

    void keepsWhatLasts_data() {
        QTest::addColumn<TrialStatus>("status");
        QTest::addColumn<bool>("kept");
        QTest::addColumn<bool>("shared");  // with later processes: a refusal may be the machine's fault, and is asked for again
        QTest::newRow("ok") << TrialStatus::Ok << true << true;
        QTest::newRow("error") << TrialStatus::CompileError << true << false;
        QTest::newRow("resources") << TrialStatus::ResourceError << true << false;
        QTest::newRow("timeout") << TrialStatus::CompileTimeout << false << false;
    }
    void keepsWhatLasts() {
        QFETCH(TrialStatus, status);
        QFETCH(bool, kept);
        QFETCH(bool, shared);
        const fs::path place = folder(("lasting " + std::to_string(static_cast<int>(status))).c_str());
        ObjectCache cache(place);
        cache.store("key", object(10, status));
        QCOMPARE(cache.find("key").has_value(), kept);
        QCOMPARE(ObjectCache(place).find("key").has_value(), shared);
    }

    void folderIsBounded() {
        const fs::path place = folder("bounded");
        ObjectCache cache(place, {std::uint64_t{1} << 20, 100'000});
        for (int i = 0; i < 40; ++i) cache.store("key " + std::to_string(i), object(10'000));
        std::uint64_t total = 0;
        for (const auto& file : filesIn(place)) total += fs::file_size(file);
        QVERIFY2(total > 0 && total <= 130'000, std::to_string(total).c_str());
    }

    void folderThatCannotBeWritten() {
        ObjectCache cache("/proc/nowhere");
        cache.store("key", object(10));
        QVERIFY(cache.find("key").has_value());  // in memory all the same
    }
};

QTEST_GUILESS_MAIN(TestObjectCache)
#include "tst_object_cache.moc"
