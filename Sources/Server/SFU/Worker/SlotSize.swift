public import Basics

/// At what size a slot is shown.
public struct SlotSize: Sendable, Hashable {
  public var mid: MID
  /// Width in pixels of the receiver's screen; 0 while it is hidden.
  public var width: Int
  public var height: Int
  /// Whether its receiver has pinned it.
  public var isPinned: Bool
  /// The most pictures a second that are of use; 0 for all there are.
  public var maximumFrameRate: Int

  public init(mid: MID, width: Int, height: Int, isPinned: Bool = false, maximumFrameRate: Int = 0) {
    self.mid = mid
    self.width = width
    self.height = height
    self.isPinned = isPinned
    self.maximumFrameRate = maximumFrameRate
  }
}
