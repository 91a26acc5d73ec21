import Domain
import Testing

/// What podcast apps are told: changes since a time.
@Suite struct AppStateTests {
    private let now = Timestamp(seconds: 1_790_000_000)

    @Test func `of several changes of an address, the last one counts`() {
        var state = AppState()
        state.note(subscriptions: ["a", "b"], now: now)
        state.note(subscriptions: ["a"], now: now)
        #expect(state.changes(since: 0) == (["a"], ["b"]))
        let known = state
        state.note(subscriptions: ["a"], now: now)
        #expect(state == known)
        let time = state.nextTime
        state.note(subscriptions: ["a", "b"], now: now)
        #expect(state.changes(since: time) == (["b"], []))
        #expect(state.changes(since: 0) == (["a", "b"], []))
        #expect(state.changes(since: state.nextTime) == ([], []))
    }

    @Test func `what a device's list lacks was removed there, if its previous list had it`() {
        var state = AppState()
        #expect(state.replaceList(of: "phone", with: ["a", "b"]) == [])
        #expect(state.replaceList(of: "tablet", with: ["a"]) == [])
        #expect(state.replaceList(of: "phone", with: ["b", "c"]) == ["a"])
        #expect(state.devices["phone"]?.caption == "phone")
    }

    @Test func `a device keeps what a change of it does not name`() {
        var state = AppState()
        state.setDevice("phone", caption: "My phone", type: nil)
        state.setDevice("phone", caption: nil, type: "mobile")
        #expect(state.devices["phone"]?.caption == "My phone")
        #expect(state.devices["phone"]?.type == "mobile")
    }

    @Test func `actions of one second are told apart, and the latest 50,000 remain`() {
        var state = AppState()
        for number in 1...60_000 {
            state.note(EpisodeAction(podcast: "p\(number % 2)", episode: "\(number)", action: "play"), now: now)
        }
        let actions = state.actions(since: 0, podcast: nil)
        #expect((50_000...55_000).contains(actions.count))
        #expect(actions.last?.episode == "60000")
        let later = state.actions(since: actions[actions.count - 10].arrived ?? 0, podcast: "p1")
        #expect(later.map(\.episode) == ["59991", "59993", "59995", "59997", "59999"])
    }

    @Test func `an action is valid if it is one of the API's and its fields are within limits`() {
        #expect(EpisodeAction(podcast: "p", episode: "e", action: "PLAY").isValid)
        #expect(!EpisodeAction(podcast: "p", episode: "e", action: "listen").isValid)
        var action = EpisodeAction(podcast: "p", episode: "e", action: "play")
        action.position = .max
        #expect(!action.isValid)
        (action.position, action.total) = (99, 100)
        #expect(action.isValid && action.isFinished)
        #expect(!EpisodeAction(podcast: String(repeating: "p", count: 2_049), episode: "e", action: "play").isValid)
    }
}
