import Domain
import Testing

struct PlayerCommandTests {
    @Test(arguments: [
        ("mpv", ["mpv"]), ("  mpv  --no-video ", ["mpv", "--no-video"]), ("my\\ player", ["my player"]),
        ("'my player' -x", ["my player", "-x"]), ("p \"a b\"c", ["p", "a bc"]), ("p ''", ["p", ""]),
        ("p \"\\\"\\n\"", ["p", "\"\\n"]),
        ("p '\\'", ["p", "\\"]), ("p $HOME;ls|x", ["p", "$HOME;ls|x"]),
    ])
    func isSplitAsAShellDoes(text: String, words: [String]) { #expect(PlayerCommand(text)?.words == words) }

    @Test(arguments: ["", "  ", "'x", "p \"x", "p \\"])
    func isRefused(text: String) { #expect(PlayerCommand(text) == nil) }

    @Test(arguments: [
        ("p", 0.0, ["p", "/a b.mp3"]), ("p {file} -x", 0, ["p", "/a b.mp3", "-x"]),
        ("p --at={start} 'f={file}'", 12, ["p", "--at=12", "f=/a b.mp3"]),
        ("p -ss {start}", 12.5, ["p", "-ss", "12.5", "/a b.mp3"]),
    ])
    func placeholdersAreReplacedInsideWords(text: String, start: Double, words: [String]) throws {
        let player = try #require(PlayerCommand(text))
        #expect(player.arguments(file: "/a b.mp3", start: start) == words)
    }

    @Test func aFileNameIsNotReadAgain() throws {
        let player = try #require(PlayerCommand("p {file}"))
        #expect(player.arguments(file: "/{start} {file}.mp3", start: 7) == ["p", "/{start} {file}.mp3"])
    }
}
