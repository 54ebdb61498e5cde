import Basics
public import RTC

/// The layers of a publication that somebody watches: the publisher may stop the others.
public struct LayersWanted: Hashable, Sendable {
  /// The highest spatial layer that is wanted, with all below it; nil when nobody watches. 7 stands for all that there
  /// are.
  public var spatial: UInt8?
  /// The simulcast streams that are wanted, smallest first; empty without simulcast, and when nobody watches.
  public var streams: [RID]
  /// How many spatial layers one stream has when nothing of it is left out; 0 with simulcast, and where all of them are
  /// wanted.
  public var layerCount: UInt8 = 0
  /// Width in pixels of the largest tile anywhere; 0 when somebody takes whatever there is.
  public var width: UInt16
  public var height: UInt16
  /// The highest frame rate that anybody wants of a publication from which the server can leave none out; 0 for all,
  /// and where it can.
  public var frameRate: UInt16 = 0

  public init(spatial: UInt8?, streams: [RID] = [], width: UInt16 = 0, height: UInt16 = 0) {
    self.spatial = spatial
    self.streams = streams
    self.width = width
    self.height = height
  }
}

/// The combined demand of a publication's receivers, and the demand sent to its publisher: more at once, less only when
/// it has been enough for a second, so that a tile that is scrolled through or moved costs no keyframe.
struct LayerDemand: Sendable {
  /// How long less must be enough before the sender hears of it.
  static let patience = TimeSpan.seconds(1)

  /// The wish of one receiver, or of several: how many spatial layers (0: none, 8: all), up to which size (0: any), and
  /// how many a second (0: all).
  struct Level: Equatable {
    var layers: UInt8 = 0
    var width: UInt16 = 0
    var height: UInt16 = 0
    var frameRate: UInt16 = 0

    static let all = Level(layers: 8)

    func joined(_ other: Level) -> Level {
      guard layers > 0 else { return other }
      guard other.layers > 0 else { return self }
      let isUnlimited = width == 0 || other.width == 0
      return Level(
        layers: max(layers, other.layers), width: isUnlimited ? 0 : max(width, other.width),
        height: isUnlimited ? 0 : max(height, other.height),
        frameRate: frameRate == 0 || other.frameRate == 0 ? 0 : max(frameRate, other.frameRate))
    }

    /// Whether who has this has enough for `other`; a tenth of the size makes no difference.
    func satisfies(_ other: Level) -> Bool {
      guard other.layers > 0 else { return true }
      guard layers >= other.layers else { return false }
      guard frameRate == 0 || (other.frameRate > 0 && frameRate >= other.frameRate) else { return false }
      guard width > 0 else { return true }
      guard other.width > 0 else { return false }
      return Int(width) &* 11 >= Int(other.width) &* 10 && Int(height) &* 11 >= Int(other.height) &* 10
    }
  }

  /// Whether somebody's wish changed since ``settle(_:inUse:now:)``.
  var isStale = false
  /// Senders send everything until they hear otherwise.
  private(set) var announced = Level.all
  private var lowerSince: Instant?
  /// The most that was wanted since then.
  private var peak = Level()

  /// When less is to be announced.
  var deadline: Instant { lowerSince.map { $0 + Self.patience } ?? .distantFuture }

  /// Takes the wishes of all receivers together; returns the demand to send to the publisher, when it changed.
  ///
  /// - Parameter inUse: The layer still forwarded until a smaller one has come, which must not stop before.
  mutating func settle(_ wanted: Level, inUse: Level = Level(), now: Instant) -> Level? {
    isStale = false
    if !announced.satisfies(wanted) {
      announced = announced.joined(wanted)
      lowerSince = wanted.satisfies(announced) ? nil : now
      peak = wanted
      return announced
    }
    if wanted.satisfies(announced) {
      lowerSince = nil
      return nil
    }
    guard let since = lowerSince else {
      lowerSince = now
      peak = wanted
      return nil
    }
    peak = peak.joined(wanted)
    guard now - since >= Self.patience else { return nil }
    // This level was enough for all of the last second; whether still less is, the next one shows.
    peak = peak.joined(inUse)
    let hasChanged = !peak.satisfies(announced)
    announced = peak
    lowerSince = wanted.satisfies(announced) ? nil : now
    peak = wanted
    return hasChanged ? announced : nil
  }
}
