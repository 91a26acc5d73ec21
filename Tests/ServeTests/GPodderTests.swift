import LoopbackServer
import ProgramSupport
import Testing

/// gPodder itself (Debian's gpodder) on two devices: its own library and its own synchronization, which its windows use and
/// `gpo` leaves out.
@Suite struct GPodderTests {
    private static let isInstalled =
        (try? Home().run(script: "/usr/bin/python3 -c 'import gpodder.my' && command -v gpo").status) == 0

    /// `device.py DEVICE SERVER [+URL | -URL | URL=SECONDS]…` synchronizes after these changes, and prints what it received.
    private static let device = """
        import sys, time, gpodder
        gpodder.ui.cli, gpodder.prefix = True, "/usr"
        from gpodder import core, my
        engine = core.Core()
        settings = engine.config.mygpo
        device, settings.server, settings.username, settings.password = sys.argv[1], sys.argv[2], "me", "any"
        settings.device.uid, settings.device.caption, settings.device.type = device, "My " + device, "other"
        settings.enabled = True
        service = my.MygPoClient(engine.config)
        # Only the call below synchronizes.
        service.FLUSH_TIMEOUT = 3600
        service.create_device()
        def episode(podcast, url):
            return next((e for p in engine.model.get_podcasts() for e in p.get_all_episodes() if e.url == url), None)
        for change in sys.argv[3:]:
            if change[0] == "+": service.on_subscribe([change[1:]])
            elif change[0] == "-": service.on_unsubscribe([change[1:]])
            else:
                url, seconds = change.split("=")
                # The protocol's times are whole seconds: a later action is in a later one.
                time.sleep(1 - time.time() % 1)
                service.on_playback_full(episode(None, url), 0, int(seconds), 600)
        service._worker_proc(forced=True)
        assert settings.enabled, "the server refused it"
        for action in service.get_received_actions(): print("+" if action.is_add else "-", action.url.split("/")[-1])
        service.confirm_received_actions(service.get_received_actions())
        heard = []
        service.process_episode_actions(episode, heard.append)
        for e in heard[-1:]: print("heard", e.url.split("/")[-1], e.current_position)
        engine.shutdown()
        """

    @Test(.enabled(if: isInstalled, "Debian's gpodder is not installed.")) func `two devices agree`() throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 3)
        home.server.on("/sea", .feed(Home.feed("Sea", episodes: 3)))
        let site = try Served(home)
        try home.write(Self.device, to: "device.py")
        let (harbor, sea) = (home.server.url + "/harbor", home.server.url + "/sea")
        let run = try home.run(
            script: """
                export GPODDER_DISABLE_EXTENSIONS=all
                device() {
                    echo "$*:"
                    GPODDER_HOME=$PWD/$1 /usr/bin/python3 device.py $1 \(site.url) "${@:2}" 2>$1.errors || cat $1.errors
                }
                follow() { GPODDER_HOME=$PWD/$1 gpo subscribe $2 >/dev/null 2>&1 || echo "$1 cannot follow $2"; }
                device phone; device desk
                follow phone \(sea); device phone +\(sea)
                jimmy refresh >/dev/null 2>&1
                device desk; follow desk \(sea)
                device phone http://media.example/2.mp3=300; device desk
                device desk http://media.example/2.mp3=120; device phone
                device desk -\(harbor); device phone
                """)
        #expect(run.errors == "")
        #expect(
            run.output.replacing(home.server.url + "/", with: "") == """
                phone:
                + harbor
                desk:
                + harbor
                phone +sea:
                desk:
                + sea
                phone http://media.example/2.mp3=300:
                desk:
                heard 2.mp3 300
                desk http://media.example/2.mp3=120:
                phone:
                heard 2.mp3 120
                desk -harbor:
                heard 2.mp3 120
                phone:
                - harbor

                """)
        #expect(try home.jimmy.run("podcasts").records.map { $0[1] } == ["Sea"])
        let id = try #require(
            try home.jimmy.run("episodes", "--json").lines.first { $0.contains("/2.mp3") }?.firstMatch(of: /"id":"([^"]+)"/))
        #expect(try site.client.get("/player/\(id.1)").text.contains(#""position":120"#))
    }
}
