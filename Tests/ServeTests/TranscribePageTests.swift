import ProgramSupport
import Testing

/// The button that makes a transcript.
@Suite(.enabled(if: Program.find("ffmpeg") != nil, "ffmpeg is not installed"))
struct TranscribePageTests {
    @Test func `a button makes a transcript, and the page says how far it is`() throws {
        let home = try Home()
        try NumberedAudio.install(in: home)
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 60)])[0]
        // It stays in the second piece.
        try home.write("hang", to: "mode")
        try home.write("30", to: "bad")
        let site = try Served(home)
        let path = "/episodes/\(id)"
        #expect(try site.client.get(path).text.contains("value=\"transcribe\""))
        #expect(try site.client.post(path, "do=transcribe").status == 303)
        _ = try Scripts.wait {
            try site.client.get(path).text.contains("Being transcribed: 1 of 3 pieces") ? true : nil
        }
        #expect(try !site.client.get(path).text.contains("value=\"transcribe\""))
        // Asking again changes nothing.
        #expect(try site.client.post(path, "do=transcribe").status == 303)
        try home.write("", to: "mode")
        _ = try Scripts.wait { try site.client.get(path).text.contains("id=\"said\"") ? true : nil }
        #expect(try site.client.get(path).text.contains("w45"))
    }

    @Test func `without a recogniser there is no button`() throws {
        let home = try Home()
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 1)])[0]
        let site = try Served(home)
        #expect(try !site.client.get("/episodes/\(id)").text.contains("value=\"transcribe\""))
    }
}
