/// Wording for the origins and the errors of settings.
extension SettingOrigin {
    /// The name in messages and lists.
    var words: String {
        switch self {
        case .option(let name): name
        case .environment(let variable): "$" + variable
        case .file(let path, let line): "\(path):\(line)"
        case .default: "default"
        }
    }

    /// `from` of the command's JSON.
    var kind: String {
        switch self {
        case .option: "option"
        case .environment: "environment"
        case .file: "file"
        case .default: "default"
        }
    }

    /// A bad value is wrong usage if it was typed, and bad data if it is in a file.
    fileprivate var status: ExitStatus {
        if case .file = self { .badData } else { .usage }
    }
}

extension FailureLine {
    init(_ failure: SettingsFailure) {
        switch failure {
        case .unknown(let name, let origin):
            let advice = Self.didYouMean(name, among: Setting.allCases.map(\.rawValue)) ?? "'jimmy config' lists all settings"
            self.init(origin.words, "no such setting: '\(name)'", status: .usage, advice: advice)
        case .badValue(let setting, let text, let origin):
            self.init(
                origin.words,
                "'\(setting.isSecret ? "…" : text)' is not a valid value for \(setting.rawValue) (\(setting.form))",
                status: origin.status)
        case .noSetting(let origin):
            self.init(
                origin.words, "not of the form name = value", status: origin.status, advice: "see 'jimmy help settings'")
        }
    }
}
