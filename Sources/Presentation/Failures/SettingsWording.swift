/// Where settings come from, and what is wrong with them, in words.
extension SettingOrigin {
    /// How messages and lists call it.
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

    /// Where it was typed it is wrong usage, in a file bad data.
    fileprivate var status: ExitStatus {
        if case .file = self { .badData } else { .usage }
    }
}

extension FailureLine {
    init(_ failure: SettingsFailure) {
        switch failure {
        case .unknown(let name, let origin):
            self.init(origin.words, "no such setting '\(name)'", status: origin.status, advice: "'jimmy config' lists them all")
        case .badValue(let setting, let text, let origin):
            self.init(
                origin.words, "'\(setting.isSecret ? "…" : text)' is no value for \(setting.rawValue)", status: origin.status,
                advice: "it takes \(setting.form)")
        case .noSetting(let origin):
            self.init(
                origin.words, "not of the form name = value", status: origin.status, advice: "'jimmy help settings' tells more")
        }
    }
}
