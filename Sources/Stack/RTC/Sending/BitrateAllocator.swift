import Basics

/// Divides the estimate between the streams of one connection: audio first, then the videos in shares of their
/// priority; the layers of a simulcast from the lowest to the highest.
struct BitrateAllocator: Sendable {
  /// A stream that wants a share.
  struct Demand: Sendable {
    var mid: MID
    var kind: MediaKind
    var parameters: EncodingParameters
    /// Whether it is paused now: coming back takes more than staying.
    var isPaused: Bool
  }

  /// A paused layer comes back at this much more than its minimum.
  static let margin = 1.2
  /// The least rate of a source's lowest stream: it is never paused, since nothing would be seen.
  static let floor: Int64 = 30_000
  /// Headers, tags and extensions of 50 audio packets a second.
  static let audioOverhead: Int64 = 16_000
  /// The share of a video's rate that is payload.
  static let videoShare = 0.95

  /// The payload rate of each demand in order, in bits per second; 0 for a paused stream.
  static func allocate(_ target: DataRate, retransmissions: DataRate, _ demands: [Demand]) -> [Int64] {
    var rates = [Int64](repeating: 0, count: demands.count)
    var left = target.bitsPerSecond
    let audio = demands.indices.filter { demands[$0].kind == .audio && demands[$0].parameters.isActive }
    for (place, index) in audio.enumerated() {
      let parameters = demands[index].parameters
      let share = left / Int64(audio.count - place) - audioOverhead
      let most = max(parameters.maximumBitrate.bitsPerSecond, parameters.minimumBitrate.bitsPerSecond)
      rates[index] = min(max(share, parameters.minimumBitrate.bitsPerSecond), most)
      left = max(left - rates[index] - audioOverhead, 0)
    }
    // Retransmissions use bandwidth of the video that they repair, but never more than half.
    left -= min(retransmissions.bitsPerSecond, left / 2)
    allocateVideo(Double(left) * videoShare, demands, &rates)
    return rates
  }

  private struct Source {
    var layers: [Int]
    var most: Double
    var weight: Double
    var share = 0.0
  }

  private static func allocateVideo(_ budget: Double, _ demands: [Demand], _ rates: inout [Int64]) {
    var sources: [Source] = []
    for index in demands.indices where demands[index].kind == .video && demands[index].parameters.isActive {
      let parameters = demands[index].parameters
      let most = Double(max(parameters.maximumBitrate.bitsPerSecond, floor))
      if let place = sources.firstIndex(where: { demands[$0.layers[0]].mid == demands[index].mid }) {
        sources[place].layers.append(index)
        sources[place].most += most
      } else {
        sources.append(Source(layers: [index], most: most, weight: min(max(parameters.priority, 0.1), 100)))
      }
    }
    // Each round fills at least one source or gives everything away.
    var left = budget
    var open = Array(sources.indices)
    while !open.isEmpty {
      let weight = open.reduce(0) { $0 + sources[$1].weight }
      let full = open.filter { left * sources[$0].weight / weight >= sources[$0].most }
      if full.isEmpty {
        for place in open { sources[place].share = left * sources[place].weight / weight }
        break
      }
      for place in full {
        sources[place].share = sources[place].most
        left -= sources[place].most
      }
      open.removeAll { full.contains($0) }
    }
    for source in sources { allocateLayers(source, demands, &rates) }
  }

  private static func allocateLayers(_ source: Source, _ demands: [Demand], _ rates: inout [Int64]) {
    var left = source.share
    for (place, index) in source.layers.enumerated() {
      let parameters = demands[index].parameters
      let most = Double(parameters.maximumBitrate.bitsPerSecond)
      let least = Double(parameters.minimumBitrate.bitsPerSecond)
      if place > 0 {
        // Layers are of use in order: where one has no room, those above have none either.
        guard left >= least * (demands[index].isPaused ? margin : 1) else { return }
      }
      let rate = max(min(left, most), place == 0 ? Double(floor) : 0)
      rates[index] = Int64(min(max(rate, 0), 1e12))
      left -= rate
    }
  }
}
