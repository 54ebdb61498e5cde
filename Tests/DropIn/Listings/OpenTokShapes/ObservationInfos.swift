// An observer asks whether anybody observes before it takes itself away.
import OpenTok

class StreamWatcher: UIViewController {
  private(set) var changes: [String] = []
  private var stream: OTStream?

  func watch(_ stream: OTStream) {
    self.stream = stream
    stream.addObserver(self, forKeyPath: "hasVideo", options: [.initial], context: nil)
  }

  func stop() {
    guard let stream = stream, stream.observationInfo != nil else { return }
    stream.removeObserver(self, forKeyPath: "hasVideo")
    changes.append("stopped")
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) { changes.append(keyPath ?? "") }
}
