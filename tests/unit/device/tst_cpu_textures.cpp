// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>
#include <cstring>
#include <map>

#include "compile/compile.h"
#include "device/device.h"
#include "result_test.h"

using namespace ww;
using device::TextureArgument;

namespace {

TextureSampling sampling(TextureFilter filter, TextureAddress address, bool normalized, TextureRead read = TextureRead::Element) {
    TextureSampling made;
    made.filter = filter;
    made.address = address;
    made.normalized = normalized;
    made.read = read;
    return made;
}
constexpr auto kPoint = TextureFilter::Point;
constexpr auto kLinear = TextureFilter::Linear;

}  // namespace

/// Textures on the CPU device: the values that the CUDA Programming Guide's formulas give, worked out by hand.
class TestCpuTextures : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<compile::Compiler> m_compiler;
    std::unique_ptr<device::Device> m_device;
    std::map<std::string, compile::CompileResult> m_objects;  ///< by the kernel's body

    device::BufferId buffer(std::span<const std::byte> bytes) {
        const auto id = m_device->allocate(bytes.size());
        if (!id || !m_device->upload(*id, 0, bytes)) qFatal("no buffer");
        return *id;
    }

    /// Runs `code` with `o` (floats) and the texture `t`.
    device::Outcome run(const std::string& code, const device::Argument& texture, std::vector<float>& out) {
        auto& object = m_objects[code];
        if (object.object.empty()) object = compiled(code);
        const auto loaded = m_device->load({object.object, object.entry, {}}, {});
        if (!loaded || loaded->outcome.status != TrialStatus::Ok) qFatal("not loaded");
        const auto to = buffer(std::as_bytes(std::span(out)));
        const auto outcome = m_device->run({loaded->id, {}, {device::BufferArgument{to, 0}, texture}});
        if (!m_device->download(to, 0, std::as_writable_bytes(std::span(out)))) qFatal("no download");
        m_device->release(to);
        m_device->unload(loaded->id);
        return outcome;
    }

    compile::CompileResult compiled(const std::string& code) const {
        compile::CompileRequest request;
        request.source = "__global__ void k(float* o, cudaTextureObject_t t) {\n" + code + "\n}\n";
        request.fileName = "textures.cu";
        request.entry = "k";
        const auto result = m_compiler->compile(request);
        if (!result || result->status != TrialStatus::Ok) qFatal("%s", result ? result->log.c_str() : result.error().message.c_str());
        return *result;
    }

    template <typename T>
    TextureArgument texture(const std::vector<T>& texels, DType type, int components, TextureExtents extents, TextureSampling how = {}) {
        const auto count = texels.size() / static_cast<std::size_t>(components);
        return {buffer(std::as_bytes(std::span(texels))), 0, count, type, components, extents, how};
    }

    void compare(const std::string& code, const TextureArgument& texture, const std::vector<float>& expected) {
        std::vector<float> out(expected.size(), -1);
        const auto outcome = run(code, texture, out);
        QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY2(std::abs(out[i] - expected[i]) <= 1e-6f * std::abs(expected[i]), qPrintable(QString("%1: o[%2] = %3, not %4").arg(QString::fromStdString(code)).arg(i).arg(double(out[i])).arg(double(expected[i]))));
        }
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::makeHostCompiler(m_folder.path().toStdString());
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto made = device::makeCpuDevice(1);
        VERIFY_OK(made);
        m_device = std::move(*made);
    }

    void fetches() {
        const std::vector<float> texels{10, 20, 30, 40, 50, 60, 70, 80};
        compare("o[0] = tex1Dfetch<float>(t, 2); o[1] = tex1Dfetch<float>(t, -1); o[2] = tex1Dfetch<float>(t, 8); float v; tex1Dfetch(&v, t, 7); o[3] = v;",
                texture(texels, DType::Float32, 1, {}), {30, 0, 0, 80});
        compare("float4 v = tex1Dfetch<float4>(t, 1); o[0] = v.x; o[1] = v.w; float2 w; (void)w;", texture(texels, DType::Float32, 4, {}), {50, 80});
        compare("o[0] = tex1Dfetch<int>(t, 1); o[1] = tex1Dfetch<int1>(t, 2).x;", texture(std::vector<int>{1, -2, 3}, DType::Int32, 1, {}), {-2, 3});
        compare("uchar4 v = tex1Dfetch<uchar4>(t, 1); o[0] = v.x + v.w;", texture(std::vector<std::uint8_t>{1, 2, 3, 4, 250, 6, 7, 8}, DType::UInt8, 4, {}), {258});
        compare("o[0] = tex1Dfetch<short>(t, 0); ", texture(std::vector<std::int16_t>{-300}, DType::Int16, 1, {}), {-300});
    }

    void addresses() {
        const std::vector<float> texels{1, 2, 4, 8};
        const std::string code = "const float x[] = {-0.5f, 0.99f, 3.0f, 4.25f, 9.5f, -3.5f}; for (int i = 0; i < 6; ++i) o[i] = tex1D<float>(t, x[i]);";
        const TextureExtents shape{4, 0, 0};
        compare(code, texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Clamp, false)), {1, 1, 8, 8, 8, 1});
        compare(code, texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Border, false)), {0, 1, 8, 0, 0, 0});
        const std::string scaled = "const float x[] = {-0.125f, 0.25f, 0.75f, 1.0625f, 2.375f, -1.0625f}; for (int i = 0; i < 6; ++i) o[i] = tex1D<float>(t, x[i]);";
        compare(scaled, texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Clamp, true)), {1, 2, 8, 8, 8, 1});
        compare(scaled, texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Wrap, true)), {8, 2, 8, 1, 2, 8});
        compare(scaled, texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Mirror, true)), {1, 2, 8, 8, 2, 8});
        // On the edge between two texels the mirror image counts: an H200 does the same.
        compare("o[0] = tex1D<float>(t, -0.25f); o[1] = tex1D<float>(t, 1.5f); o[2] = tex1D<float>(t, 1.0f); o[3] = tex1D<float>(t, -1.0f);",
                texture(texels, DType::Float32, 1, shape, sampling(kPoint, TextureAddress::Mirror, true)), {1, 2, 8, 8});
    }

    void filters() {
        const std::vector<float> line{0, 256, 1024, 0};
        const std::string code = "const float x[] = {0.5f, 1.0f, 1.25f, 0.25f, 3.75f, 0.50390625f, 0.5009f}; for (int i = 0; i < 7; ++i) o[i] = tex1D<float>(t, x[i]);";
        // Weights are rounded to 1/256: 0.0009 vanishes.
        compare(code, texture(line, DType::Float32, 1, {4, 0, 0}, sampling(kLinear, TextureAddress::Clamp, false)), {0, 128, 192, 0, 0, 1, 0});
        const std::vector<float> ends{100, 0, 0, 200};
        const std::string edge = "o[0] = tex1D<float>(t, 0.0f); o[1] = tex1D<float>(t, 1.0f); o[2] = tex1D<float>(t, -0.0625f);";
        compare(edge, texture(ends, DType::Float32, 1, {4, 0, 0}, sampling(kLinear, TextureAddress::Wrap, true)), {150, 150, 175});
        compare(edge, texture(ends, DType::Float32, 1, {4, 0, 0}, sampling(kLinear, TextureAddress::Border, true)), {50, 100, 25});
        compare(edge, texture(ends, DType::Float32, 1, {4, 0, 0}, sampling(kLinear, TextureAddress::Mirror, true)), {100, 200, 100});

        const std::vector<float> plane{0, 10, 20, 100, 110, 120};  // 3 wide, 2 high
        compare("o[0] = tex2D<float>(t, 2.5f, 1.5f); o[1] = tex2D<float>(t, 1.0f, 1.0f); o[2] = tex2D<float>(t, 1.75f, 0.75f);",
                texture(plane, DType::Float32, 1, {3, 2, 0}, sampling(kLinear, TextureAddress::Clamp, false)), {120, 55, 37.5f});
        compare("o[0] = tex2D<float>(t, 2.5f, 1.5f); o[1] = tex2D<float>(t, 1.0f, 0.0f);", texture(plane, DType::Float32, 1, {3, 2, 0}), {120, 10});

        const std::vector<float> cube{0, 1, 2, 3, 4, 5, 6, 7};
        compare("o[0] = tex3D<float>(t, 1.0f, 1.0f, 1.0f); o[1] = tex3D<float>(t, 1.5f, 0.5f, 1.0f); float v; tex3D(&v, t, 0.5f, 1.5f, 1.5f); o[2] = v;",
                texture(cube, DType::Float32, 1, {2, 2, 2}, sampling(kLinear, TextureAddress::Clamp, false)), {3.5f, 3, 6});
        const std::vector<float> pairs{0, 100, 10, 200};
        compare("float2 v = tex1D<float2>(t, 1.0f); o[0] = v.x; o[1] = v.y;",
                texture(pairs, DType::Float32, 2, {2, 0, 0}, sampling(kLinear, TextureAddress::Clamp, false)), {5, 150});
    }

    void normalisedReads() {
        const auto how = sampling(kPoint, TextureAddress::Clamp, false, TextureRead::NormalizedFloat);
        const std::string code = "o[0] = tex1D<float>(t, 0); o[1] = tex1D<float>(t, 1); o[2] = tex1D<float>(t, 2);";
        compare(code, texture(std::vector<std::uint8_t>{0, 51, 255}, DType::UInt8, 1, {3, 0, 0}, how), {0, 0.2f, 1});
        compare(code, texture(std::vector<std::int8_t>{-128, -127, 127}, DType::Int8, 1, {3, 0, 0}, how), {-1, -1, 1});
        compare(code, texture(std::vector<std::uint16_t>{0, 13107, 65535}, DType::UInt16, 1, {3, 0, 0}, how), {0, 0.2f, 1});
        const auto filtered = sampling(kLinear, TextureAddress::Clamp, false, TextureRead::NormalizedFloat);
        compare("o[0] = tex1D<float>(t, 1.0f);", texture(std::vector<std::uint8_t>{0, 255}, DType::UInt8, 1, {2, 0, 0}, filtered), {0.5f});
    }

    /// On a GPU these give other bits without a word.
    void misuse_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("dimensions");
        QTest::addColumn<QString>("message");
        QTest::newRow("other type") << "o[0] = tex1D<int>(t, 0);" << 1 << "textures.cu:2: block (0,0,0), thread (0,0,0): the texture's texels have another type";
        QTest::newRow("unsigned") << "o[0] = tex1D<unsigned>(t, 0);" << 1 << "another type";
        QTest::newRow("components") << "o[0] = tex1D<float4>(t, 0).x;" << 1 << "another number of components";
        QTest::newRow("dimensions") << "o[0] = tex2D<float>(t, 0, 0);" << 1 << "tex2D of [w, h]";
        QTest::newRow("fetch of an array") << "o[0] = tex1Dfetch<float>(t, 0);" << 1 << "Size as one number";
        QTest::newRow("array read of memory") << "o[0] = tex1D<float>(t, 0);" << 0 << "tex1D takes a Size of [w]";
        QTest::newRow("buffer") << "o[0] = tex1Dfetch<float>(t, 0);" << -1 << "is no texture; give it MemoryType Texture";
    }
    void misuse() {
        QFETCH(QString, code);
        QFETCH(int, dimensions);
        QFETCH(QString, message);
        const std::vector<float> texels(64, 1.0f);
        device::Argument argument = texture(texels, DType::Float32, 1, {dimensions > 0 ? 64U : 0U, 0, 0});
        if (dimensions < 0) argument = device::BufferArgument{buffer(std::as_bytes(std::span(texels))), 0};
        std::vector<float> out(1);
        const auto outcome = run(code.toStdString(), argument, out);
        QVERIFY(outcome.status == TrialStatus::RuntimeError);
        QVERIFY2(QString::fromStdString(outcome.message).contains(message), outcome.message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCpuTextures)
#include "tst_cpu_textures.moc"
