/// The layers of a video track that anybody watches. Its sender may stop the rest, and must resume within a frame when
/// more is wanted.
public struct WantedLayers: Sendable, Hashable, Codable {
  /// The m-section of the sender's own track.
  public var mid: String
  /// Whether anybody watches at all.
  public var active: Bool
  /// The simulcast streams that are wanted, by RID, smallest first; nil when all are, and without simulcast.
  public var rids: [String]?
  /// How many spatial layers of one stream that carries several (scalable video) are wanted, from the smallest; nil
  /// when all are, and with simulcast.
  public var spatialLayers: Int?
  /// How many it has when none is left out; besides ``spatialLayers``. A client that leaves out the larger ones keeps
  /// the sizes of the others.
  public var spatialLayerCount: Int?
  /// Width in pixels of the largest view; 0 for the full size.
  public var width: Int
  public var height: Int
  /// The highest frame rate that anybody wants of a track without temporal layers; nil for all frames. Of one with
  /// layers the server leaves out frames itself.
  public var maxFrameRate: Int?

  /// The layers wanted of the track in `mid`.
  public init(mid: String, active: Bool, rids: [String]? = nil, width: Int = 0, height: Int = 0) {
    self.mid = mid
    self.active = active
    self.rids = rids
    self.width = width
    self.height = height
  }
}
