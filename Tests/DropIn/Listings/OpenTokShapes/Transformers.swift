// Transformers are untyped objects.
import OpenTok

protocol Filtered: AnyObject {
  var videoTransformers: [Any] { get set }
  var audioTransformers: [Any] { get set }
}

extension OTPublisherKit: Filtered {}

enum Filters {
  static func set(_ publisher: OTPublisherKit, _ filter: OTCustomVideoTransformer) {
    var filters: [Any] = publisher.videoTransformers
    if let blur = OTVideoTransformer(name: "BackgroundBlur", properties: "{}") { filters.append(blur) }
    if let own = OTVideoTransformer(name: "own", transformer: filter) { filters.append(own) }
    publisher.videoTransformers = filters
    publisher.audioTransformers = []
    _ = OTAudioTransformer(name: "NoiseSuppression", properties: "")
  }
}
