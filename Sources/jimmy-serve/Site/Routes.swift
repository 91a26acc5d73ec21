import Composition
import Domain
import Hummingbird

/// The handlers of all requests.
enum Routes {
    static func router(of site: Site) -> Router<SiteContext> {
        let router = Router(context: SiteContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: MeasureTraffic(traffic: site.traffic))
        router.add(middleware: PageHeaders())
        router.add(middleware: Compressed())
        router.add(middleware: Failures(site: site))
        router.add(middleware: SameOrigin(site: site))
        router.add(middleware: SignedIn(site: site))
        router.add(middleware: Unchanged())
        addPages(of: site, to: router)
        addPlayer(of: site, to: router)
        addFiles(of: site, to: router)
        LibraryAPI(site: site).add(to: router)
        LibraryFeeds(site: site).add(to: router)
        router.get("/metrics", use: Metrics(site: site).show)
        PodderAPI(site: site).add(to: router)
        NextcloudLogin(site: site).add(to: router)
        PingRequests(site: site).add(to: router)
        refuseOtherMethods(on: router)
        return router
    }

    /// Answers the other methods of every path with 405 and the methods that it accepts (RFC 9110, section 15.5.6).
    private static func refuseOtherMethods(on router: Router<SiteContext>) {
        for routes in Dictionary(grouping: router.routes, by: \.path.description).values {
            var accepted = Set(routes.map(\.method))
            if accepted.contains(.get) { accepted.insert(.head) }
            let names = accepted.map(\.rawValue).sorted().joined(separator: ", ")
            let refused: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
            for method in refused.subtracting(accepted) {
                router.on(routes[0].path, method: method) { _, _ -> Response in
                    throw HTTPError(
                        .methodNotAllowed, headers: [.allow: names], message: "This address accepts only \(names).")
                }
            }
        }
    }

    private static func addPages(of site: Site, to router: Router<SiteContext>) {
        let (new, podcasts, podcast) = (NewPage(site: site), PodcastsPage(site: site), PodcastPage(site: site))
        router.get("/", use: new.show)
        router.get("/new/mark", use: new.mark)
        router.post("/seen", use: new.markSeen)
        router.post("/undo", use: EpisodeActions(site: site).undo)
        router.get("/search", use: SearchPage(site: site).show)
        router.get("/podcasts", use: podcasts.show)
        router.get("/podcasts.opml", use: podcasts.download)
        router.post("/podcasts.opml", use: podcasts.upload)
        router.get("/podcasts/:podcast", use: podcast.show)
        router.post("/podcasts/:podcast", use: podcast.change)
        router.get("/podcasts/:podcast/chart.svg", use: podcast.chart)
        let subscribe = SubscribePage(site: site)
        router.get("/subscribe", use: subscribe.show)
        router.post("/subscribe", use: subscribe.subscribe)
        router.get("/episodes/:episode", use: EpisodePage(site: site).show)
        router.post("/episodes/:episode", use: EpisodeActions(site: site).act)
        router.post("/episodes", use: EpisodeActions(site: site).actOnSeveral)
        let lists = ListPages(site: site)
        router.get("/starred", use: lists.starred)
        router.get("/heard", use: lists.heard)
        router.get("/suggested", use: lists.suggested)
        router.get("/downloads", use: DownloadsPage(site: site).show)
        router.get("/downloads/progress", use: DownloadsPage(site: site).progress)
        router.get("/more", use: MorePage(site: site).show)
        let queue = QueuePage(site: site)
        router.get("/queue", use: queue.show)
        router.post("/queue/move", use: queue.move)
        router.post("/queue/clear", use: queue.clear)
        let status = StatusPage(site: site)
        router.get("/status", use: status.show)
        router.get("/status/chart.svg", use: status.chart)
        router.post("/refresh", use: status.refresh)
        let login = LoginPage(site: site)
        router.get("/login", use: login.show)
        router.post("/login", use: login.signIn)
        router.post("/logout", use: login.signOut)
        router.get("/apps", use: login.showApps)
        router.post("/apps", use: login.changeApps)
    }

    private static func addPlayer(of site: Site, to router: Router<SiteContext>) {
        let player = PlayerRequests(site: site)
        router.get("/media/:episode", use: Media(site: site).send)
        router.get("/player/next", use: player.next)
        router.get("/player/:episode", use: player.episode)
        router.get("/player/:episode/share", use: player.share)
        router.post("/player/:episode/position", use: player.position)
        router.post("/player/:episode/finished", use: player.finished)
    }

    private static func addFiles(of site: Site, to router: Router<SiteContext>) {
        router.get("/covers/:podcast", use: CoverRequests(site: site).ofPodcast)
        router.get("/covers/episodes/:episode", use: CoverRequests(site: site).ofEpisode)
        for (path, asset) in [
            ("/assets/style.css", site.pages.style), ("/assets/script.js", site.pages.script), ("/favicon.svg", site.pages.icon),
        ] {
            router.get(RouterPath(path)) { _, _ in
                Response.bytes(asset.bytes, type: asset.type, headers: ["Cache-Control": "public, max-age=31536000, immutable"])
            }
        }
        for (side, icon) in site.pages.icons {
            router.get(RouterPath("/icon-\(side).png")) { _, _ in
                Response.bytes(icon.bytes, type: icon.type, headers: ["Cache-Control": "public, max-age=604800"])
            }
        }
        let (manifest, worker) = (site.pages.manifest, site.pages.serviceWorker)
        router.get("/manifest.webmanifest") { _, _ in Response.bytes(manifest.bytes, type: manifest.type) }
        router.get("/worker.js") { _, _ in Response.text(worker, type: "text/javascript; charset=utf-8") }
        router.get("/offline") { _, _ in site.page("offline", title: "Offline", [:]) }
        router.get("/healthz") { _, _ in
            _ = try await site.reader.podcasts.revision()
            return Response.text("ok\n", type: "text/plain; charset=utf-8")
        }
    }
}
