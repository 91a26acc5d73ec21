package import Domain

/// A clock that is not behind the last time an earlier run stored.
///
/// Times are whole seconds. A run that begins in the last second that was used continues with the next one.
///
/// - Parameter earliest: the first time that the clock may give. If it is more than a few seconds ahead, the machine's
///   clock was set back, and is believed.
package func steady(_ clock: @escaping @Sendable () -> Timestamp, from earliest: Timestamp?) -> @Sendable () -> Timestamp {
    let now = clock()
    guard let earliest, earliest > now, earliest - now <= 5 else { return clock }
    return { max(clock(), earliest) }
}
