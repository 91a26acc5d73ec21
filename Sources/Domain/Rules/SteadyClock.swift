/// A clock that is not behind what an earlier run stored a moment ago.
///
/// Times are whole seconds, and a run takes the second after the last one that was used if they would be the same.
///
/// - Parameter earliest: the first time that it may tell. If it is seconds away, the machine's clock was set, and is
///   believed.
func steady(_ clock: @escaping @Sendable () -> Timestamp, from earliest: Timestamp?) -> @Sendable () -> Timestamp {
    let now = clock()
    guard let earliest, earliest > now, earliest - now <= 5 else { return clock }
    return { max(clock(), earliest) }
}
