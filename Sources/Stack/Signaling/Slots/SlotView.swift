/// At what size a receiver shows what a video slot carries, so that the server sends what fills it and no more; and
/// whether it listens to what an audio slot carries.
public struct SlotView: Sendable, Hashable, Codable {
  /// Most slots in one message.
  public static let maximumCount = 64
  /// The range of ``maxFrameRate``.
  public static let frameRates = 1...240

  /// The slot's m-section.
  public var mid: String
  /// Width in pixels of the screen (not of the page); 0 while it is hidden, or not listened to: nothing is sent then.
  /// Audio has no other size.
  public var width: Int
  public var height: Int
  /// Whether it matters more than what is not pinned, when the network does not take everything.
  public var pinned: Bool?
  /// The most frames a second that are of use, in ``frameRates``; nil for as many as there are. The server leaves out
  /// temporal layers for it.
  public var maxFrameRate: Int?

  /// A view of slot `mid`.
  public init(mid: String, width: Int, height: Int, pinned: Bool? = nil, maxFrameRate: Int? = nil) {
    self.mid = mid
    self.width = width
    self.height = height
    self.pinned = pinned
    self.maxFrameRate = maxFrameRate
  }
}
