import Domain
import Hummingbird
import Mustache

/// The values for a template, by name. A missing or empty value renders as nothing and is not looked up in the
/// enclosing values.
struct Values: MustacheParent, ExpressibleByDictionaryLiteral {
    private var values: [String: Any]

    init(dictionaryLiteral elements: (String, Any)...) {
        values = Dictionary(elements, uniquingKeysWith: { _, last in last })
    }

    subscript(name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func merging(_ others: Values) -> Values {
        var merged = self
        merged.values.merge(others.values) { _, new in new }
        return merged
    }

    func child(named name: String) -> Any? {
        guard let value = values[name], (value as? String) != "" else { return Nothing() }
        return value
    }

    private struct Nothing: MustacheCustomRenderable {
        let renderText = ""
        let isNull = true
    }
}

/// The templates of the pages and the files used by them. All are embedded in the program.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    let style = Asset(PackageResources.style_css, type: "text/css; charset=utf-8")
    let script = Asset(PackageResources.script_js, type: "text/javascript; charset=utf-8")
    let icon = Asset(PackageResources.icon_svg, type: "image/svg+xml")
    /// The icons of an installed page, by the length of their sides.
    let icons = [
        192: Asset(PackageResources.icon_192_png, type: "image/png"),
        512: Asset(PackageResources.icon_512_png, type: "image/png"),
    ]
    let manifest = Asset(PackageResources.manifest_webmanifest, type: "application/manifest+json")
    private let worker = String(decoding: PackageResources.worker_js, as: UTF8.self)

    /// The service worker. It differs, and so is installed anew, if a part of the shell differs.
    var serviceWorker: String {
        let version = String(XXH64.hash("\(style.version) \(script.version)".utf8), radix: 36)
        return worker.replacing("{{style}}", with: style.version).replacing("{{script}}", with: script.version)
            .replacing("{{version}}", with: version)
    }

    /// A file that browsers cache; its address contains the version, which changes with its bytes.
    struct Asset: Sendable {
        let bytes: [UInt8]
        let type: String
        let version: String

        init(_ bytes: [UInt8], type: String) {
            (self.bytes, self.type) = (bytes, type)
            version = String(XXH64.hash(bytes), radix: 36)
        }
    }

    private static let sources: [(name: String, text: [UInt8])] = [
        ("layout", PackageResources.layout_mustache), ("row", PackageResources.row_mustache),
        ("pager", PackageResources.pager_mustache), ("new", PackageResources.new_mustache),
        ("search", PackageResources.search_mustache), ("podcasts", PackageResources.podcasts_mustache),
        ("podcast", PackageResources.podcast_mustache), ("episode", PackageResources.episode_mustache),
        ("queue", PackageResources.queue_mustache), ("status", PackageResources.status_mustache),
        ("subscribe", PackageResources.subscribe_mustache), ("login", PackageResources.login_mustache),
        ("apps", PackageResources.apps_mustache), ("message", PackageResources.message_mustache),
        ("allow", PackageResources.allow_mustache), ("list", PackageResources.list_mustache),
        ("downloads", PackageResources.downloads_mustache), ("more", PackageResources.more_mustache),
        ("offline", PackageResources.offline_mustache), ("sure", PackageResources.sure_mustache),
    ]

    /// - Throws: an error if a template is malformed.
    init() throws {
        var library = MustacheLibrary()
        for (name, text) in Self.sources { try library.register(String(decoding: text, as: UTF8.self), named: name) }
        self.library = library
    }

    func render(_ values: Values, _ template: String) -> String { library.render(values, withTemplate: template) ?? "" }
}
