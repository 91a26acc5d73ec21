/// Elements with which a web page begins that leaves out its `html` element, as challenges of bot walls do.
enum HTMLRoots {
    private static let names: Set<String> = [
        "html", "head", "body", "meta", "script", "style", "noscript", "title", "link", "base", "div", "p", "span", "center",
        "h1", "h2", "h3", "h4", "table", "form", "iframe", "main", "section", "article", "header", "nav", "a", "b", "strong",
        "br", "hr", "img", "font", "pre", "ul", "ol",
    ]

    static func contains(_ root: String) -> Bool { names.contains(root.lowercased()) }
}
