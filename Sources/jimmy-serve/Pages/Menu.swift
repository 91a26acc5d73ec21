import Composition
import Domain
import Hummingbird
import Presentation

/// The pages that every page leads to.
struct MenuEntry {
    let name: String
    let path: String
    let icon: String
    /// The key after `g`; `/` for the search itself.
    let key: String

    private init(_ name: String, _ path: String, _ icon: String, _ key: String) {
        (self.name, self.path, self.icon, self.key) = (name, path, icon, key)
    }

    static let pages = [
        MenuEntry("New", "/", "new", "g n"), MenuEntry("Search", "/search", "search", "/"),
        MenuEntry("Podcasts", "/podcasts", "podcasts", "g p"), MenuEntry("Queue", "/queue", "queue", "g q"),
    ]
    static let lists = [
        MenuEntry("Suggested", "/suggested", "suggested", "g u"), MenuEntry("Starred", "/starred", "unstar", "g t"),
        MenuEntry("Heard", "/heard", "heard", "g h"), MenuEntry("Downloads", "/downloads", "download", "g d"),
        MenuEntry("Status", "/status", "status", "g s"),
    ]

    func values(isHere: Bool) -> Values { ["name": name, "path": path, "icon": icon, "key": key, "isHere": isHere] }
}

/// The pages that a narrow window has no room for in its menu.
struct MorePage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) -> Response {
        site.page("more", title: "More", section: "More", [:])
    }
}

extension Site {
    /// A complete page.
    ///
    /// - Parameters:
    ///   - title: the subject of the page.
    ///   - section: the entry of the menu that the page belongs to.
    func page(
        _ template: String, title: String, section: String = "", _ values: Values, status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values
        values["title"] = title
        values["style"] = pages.style.version
        values["script"] = pages.script.version
        values["isOpen"] = sessions.isOpen
        values["menu"] = MenuEntry.pages.map { $0.values(isHere: $0.name == section) }
        values["lists"] = MenuEntry.lists.map { $0.values(isHere: $0.name == section) }
        values["isMore"] = section == "More" || MenuEntry.lists.contains { $0.name == section }
        let named = (try? NamedQueries.read()) ?? []
        values["hasNamed"] = !named.isEmpty
        values["named"] = named.prefix(20).map { query -> Values in
            [
                "name": query.name, "path": "/search?q=" + Form.encoded("query:" + query.name),
                "isHere": section == "query:" + query.name,
            ]
        }
        return .text(pages.render(values, template), type: "text/html; charset=utf-8", status: status)
    }
}
