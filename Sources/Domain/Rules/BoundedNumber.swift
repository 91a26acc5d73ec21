extension Int {
    /// A number from outside without its fraction. Beyond ±10¹⁵, up to which a Double tells whole numbers apart, it is
    /// that limit; 0 if it is not a number.
    public init(bounded number: Double) {
        self = number.isNaN ? 0 : Int(Swift.max(-1e15, Swift.min(number, 1e15)))
    }
}
