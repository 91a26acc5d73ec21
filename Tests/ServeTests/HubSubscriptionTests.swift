import Domain
import Testing

@testable import jimmy_serve

/// What a subscription at a hub does with requests, verifications and pings.
@Suite struct HubSubscriptionTests {
    private let start = Timestamp(seconds: 1_790_000_000)
    private let hour: Int64 = 3_600

    private func asked() -> HubSubscription {
        var subscription = HubSubscription(hub: "https://hub.example/", topic: "https://a.example/feed", token: "t", secret: "s")
        #expect(subscription.ask(now: start) == true)
        return subscription
    }

    private func verified(seconds: Int64?) -> HubSubscription {
        var subscription = asked()
        let verification = subscription.verify(
            mode: "subscribe", topic: subscription.topic, seconds: seconds, isWanted: true, now: start)
        #expect(verification == .accepted)
        return subscription
    }

    @Test func `a hub that does not verify is asked after one hour, two, four, and never later than after 256`() {
        var subscription = asked()
        var now = start
        for failures in 0..<12 {
            let wait = hour << Int64(min(failures, 8))
            #expect(subscription.ask(now: now + (wait - 1)) == false)
            now = now + wait
            #expect(subscription.ask(now: now) == true)
        }
    }

    @Test func `a promise is renewed when a fifth of it remains`() {
        var subscription = verified(seconds: 10 * hour)
        #expect(subscription.ask(now: start + (8 * hour - 1)) == false)
        #expect(subscription.ask(now: start + 8 * hour) == true)
    }

    @Test func `a promise lasts five minutes at least and thirty days at most`() {
        #expect(verified(seconds: -5).isValid(now: start + 299))
        #expect(!verified(seconds: -5).isValid(now: start + 300))
        #expect(verified(seconds: .max).isValid(now: start + (720 * hour - 1)))
        #expect(!verified(seconds: .max).isValid(now: start + 720 * hour))
        #expect(verified(seconds: nil).isValid(now: start + (240 * hour - 1)))
    }

    @Test func `a verification that nobody asked for is refused`() {
        var subscription = HubSubscription(hub: "https://hub.example/", topic: "https://a.example/feed", token: "t", secret: "s")
        for mode in ["subscribe", "unsubscribe", "renew"] {
            let verification = subscription.verify(
                mode: mode, topic: subscription.topic, seconds: nil, isWanted: true, now: start)
            #expect(verification == .refused)
        }
        subscription = asked()
        #expect(
            subscription.verify(mode: "subscribe", topic: "https://b.example/", seconds: nil, isWanted: true, now: start)
                == .refused)
        #expect(
            subscription.verify(mode: "subscribe", topic: subscription.topic, seconds: nil, isWanted: false, now: start)
                == .refused)
        #expect(
            subscription.verify(mode: "unsubscribe", topic: subscription.topic, seconds: nil, isWanted: false, now: start)
                == .ended)
    }

    @Test func `a hub that denies is left alone for as long as one that never verifies`() {
        var subscription = verified(seconds: nil)
        #expect(
            subscription.verify(mode: "denied", topic: subscription.topic, seconds: nil, isWanted: true, now: start) == .accepted)
        #expect(!subscription.isValid(now: start))
        #expect(subscription.ask(now: start + (256 * hour - 1)) == false)
        #expect(subscription.ask(now: start + 256 * hour) == true)
    }

    @Test func `pings within a minute cause one fetch`() {
        var subscription = verified(seconds: nil)
        #expect(subscription.ping(now: start) == true)
        #expect(subscription.ping(now: start + 59) == false)
        #expect(subscription.ping(now: start + 60) == true)
    }

    @Test func `a hub is relied on after it announced an episode, until one comes unannounced`() {
        var subscription = verified(seconds: nil)
        #expect(subscription.reliance(addedAt: nil, now: start) == nil)
        #expect(subscription.ping(now: start + hour) == true)
        #expect(subscription.reliance(addedAt: start + (hour + 30), now: start + (hour + 60)) == start + 240 * hour)
        #expect(subscription.reliance(addedAt: start + 3 * hour, now: start + 4 * hour) == nil)
    }
}
