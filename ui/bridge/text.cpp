// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringBuilder>
#include <QStringList>

#include "base/units.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

/// Context of every word in this file for translators.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

}  // namespace

QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::string fromQt(const QString& text) {
    return text.toStdString();
}

QString valueText(const Json& value) {
    if (value.is_string()) return toQt(value.get_ref<const std::string&>());
    if (value.is_boolean()) return value.get<bool>() ? u"true"_s : u"false"_s;
    if (value.is_number_integer()) return QString::number(value.get<qint64>());
    if (value.is_number_float()) return QString::number(value.get<double>(), 'g', 6);
    if (value.is_null()) return QString(kDash);
    if (value.is_array()) {
        QStringList parts;
        for (const auto& part : value) parts.append(valueText(part));
        return parts.join(u'x');
    }
    return toQt(value.dump());
}

QString configurationText(const Json& config) {
    if (!config.is_object()) return QString(kDash);
    QStringList parts;
    for (const auto& item : config.items()) parts.append(valueText(item.value()));
    return parts.join(QChar(0x00b7));
}

QString configurationSentence(const Json& config) {
    if (!config.is_object()) return QString(kDash);
    QStringList parts;
    for (const auto& item : config.items()) parts.append(toQt(item.key()) % u" = " % valueText(item.value()));
    return parts.join(u", ");
}

QString timeText(double ns) {
    return toQt(formatTimeNs(ns)).replace(u" us"_s, u" µs"_s);
}

QString ratioText(double ratio, int digits) {
    return QLocale().toString(ratio, 'f', digits) % QChar(0x00d7);
}

QString ratioInterval(const Interval& interval) {
    const QLocale locale;
    return locale.toString(interval.low, 'f', 2) % u" – " % locale.toString(interval.high, 'f', 2);
}

QString relativeHalfWidth(const Interval& interval, double value) {
    if (value == 0) return QString(kDash);
    return u"±" % QLocale().toString((interval.high - interval.low) / 2 / value * 100, 'f', 1) % u" %";
}

QString durationText(double seconds) {
    const int whole = qMax(0, static_cast<int>(seconds + 0.5));
    if (whole < 60) return Words::tr("%1 s").arg(whole);
    if (whole < 3600) return Words::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return Words::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString countText(double count) {
    if (count >= 1e15) return QLocale().toString(count, 'g', 3);
    return QLocale().toString(static_cast<qlonglong>(count + 0.5));
}

QString statusWord(TrialStatus status) {
    return toQt(toString(status));
}

QString statusTitle(TrialStatus status) {
    switch (status) {
    case TrialStatus::Ok: return Words::tr("Correct");
    case TrialStatus::CompileError: return Words::tr("Does not compile");
    case TrialStatus::CompileTimeout: return Words::tr("Compiling took too long");
    case TrialStatus::ResourceError: return Words::tr("Asks for more than the device has");
    case TrialStatus::LaunchError: return Words::tr("Cannot be launched");
    case TrialStatus::RuntimeError: return Words::tr("Failed while running");
    case TrialStatus::Timeout: return Words::tr("Ran past its deadline");
    case TrialStatus::OutOfMemory: return Words::tr("Ran out of memory");
    case TrialStatus::WrongResult: return Words::tr("Wrong result");
    case TrialStatus::Nondeterministic: return Words::tr("Result changes from run to run");
    case TrialStatus::Unstable: return Words::tr("Could not be timed steadily");
    case TrialStatus::CheatSuspected: return Words::tr("Suspected of skipping work");
    case TrialStatus::WorkerLost: return Words::tr("The worker process was lost");
    case TrialStatus::Cancelled: return Words::tr("Cancelled");
    }
    return {};
}

QString verdictTitle(Verdict verdict) {
    switch (verdict) {
    case Verdict::Faster: return Words::tr("Faster than the baseline");
    case Verdict::Slower: return Words::tr("Slower than the baseline");
    case Verdict::Same: return Words::tr("As fast as the baseline");
    case Verdict::Ambiguous: return Words::tr("Too close to the baseline to tell");
    }
    return {};
}

QString errorTitle(ErrorCode code) {
    switch (code) {
    case ErrorCode::InvalidArgument: return Words::tr("This cannot be used");
    case ErrorCode::NotFound: return Words::tr("Not found");
    case ErrorCode::Unreadable: return Words::tr("Cannot be read or written");
    case ErrorCode::ParseError: return Words::tr("The text cannot be understood");
    case ErrorCode::InvalidSpec: return Words::tr("The spec does not make sense");
    case ErrorCode::InvalidExpression: return Words::tr("An expression cannot be evaluated");
    case ErrorCode::EmptySpace: return Words::tr("No valid configuration is left");
    case ErrorCode::Unsupported: return Words::tr("This device cannot run the kernel");
    case ErrorCode::EnvironmentMissing: return Words::tr("Something is missing on this machine");
    case ErrorCode::SandboxUnavailable: return Words::tr("No sandbox");
    case ErrorCode::WorkerFailed: return Words::tr("A worker process failed");
    case ErrorCode::DatabaseLocked: return Words::tr("The trial log is in use");
    case ErrorCode::DatabaseCorrupt: return Words::tr("The trial log is damaged");
    case ErrorCode::DatabaseVersion: return Words::tr("The trial log is newer than this program");
    case ErrorCode::DatabaseError: return Words::tr("The trial log failed");
    case ErrorCode::Cancelled: return Words::tr("Stopped");
    case ErrorCode::Internal: return Words::tr("Internal error");
    }
    return {};
}

QString eventLabel(std::string_view kind, const Json& data) {
    const Json* parameter = member(data, "parameter");
    if (parameter == nullptr) parameter = member(data, "name");
    const QString name = parameter != nullptr ? valueText(*parameter) : QString();
    const Json* value = member(data, "value");
    const QString assigned = value != nullptr ? name % u"=" % valueText(*value) : name;
    if (kind == "pin") return Words::tr("pin %1").arg(assigned);
    if (kind == "unpin") return Words::tr("unpin %1").arg(name);
    if (kind == "ban") return Words::tr("ban %1").arg(assigned);
    if (kind == "unban") return Words::tr("unban %1").arg(assigned);
    if (kind == "pause") return Words::tr("pause");
    if (kind == "resume" || kind == "continue") return Words::tr("resume");
    if (kind == "budget") return Words::tr("budget");
    if (kind == "finalists") return Words::tr("finalists");
    if (kind == "policy") return Words::tr("policy");
    if (kind == "try") return Words::tr("own try");
    if (kind == "stop") return Words::tr("stop");
    return toQt(kind);
}

}  // namespace ww::ui
