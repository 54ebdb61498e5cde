/// The packets that an emulated link swallows, apart from those that its queue can't hold.
public enum LossModel: Hashable, Sendable {
  case none
  /// Each packet on its own, with this probability (0 to 1).
  case random(Double)
  /// The model of Gilbert and Elliott: two states, each with its own probability of loss. Before each packet the link
  /// changes from good to bad with the probability `enter`, and back with the probability `leave`.
  case gilbertElliott(enter: Double, leave: Double, lossWhenGood: Double, lossWhenBad: Double)

  /// Losses that come in runs of `length` packets on average and amount to `average` (0 to below 1) of all packets.
  public static func bursty(_ average: Double, length: Double) -> LossModel {
    let leave = 1 / max(length, 1)
    // In balance the share of time in the bad state is enter / (enter + leave).
    let share = min(max(average, 0), 0.99)
    return .gilbertElliott(enter: share * leave / (1 - share), leave: leave, lossWhenGood: 0, lossWhenBad: 1)
  }
}
