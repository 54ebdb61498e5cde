import Basics
import RTC
import Signaling

extension Meeting {
  /// Most views in one message.
  private static var viewsPerMessage: Int { 64 }
  /// Changes within this time travel together: a window that is resized changes all its tiles.
  private static var viewDelay: TimeSpan { .milliseconds(50) }

  /// A subscription is shown at another size; the server hears of it in a moment.
  func viewChanged() {
    guard !viewsWait else { return }
    viewsWait = true
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(Self.viewDelay.nanoseconds))
      guard let self else { return }
      self.viewsWait = false
      self.tellViews()
    }
  }

  /// Tells the server at what sizes slots are shown that it has heard otherwise of, or nothing.
  func tellViews() {
    var changed: [SlotView] = []
    for subscription in participants.flatMap(\.publications).compactMap(\.subscription)
    where subscription.publication.kind == .video {
      let mid = subscription.mid.rawValue
      // A slot keeps what was said of it when it carries something else: then everything is wanted again.
      let most = Int(UInt16.max)
      guard
        let view = subscription.view ?? (toldViews[mid] == nil ? nil : SlotView(mid: mid, width: most, height: most))
      else { continue }
      if toldViews[mid] != view { changed.append(view) }
    }
    while !changed.isEmpty {
      let part = Array(changed.prefix(Self.viewsPerMessage))
      changed.removeFirst(part.count)
      guard place?.channel.send(.view(part)) == true else { return }
      for view in part { toldViews[view.mid] = view }
    }
  }

  /// A server that knows nothing of them is told all views again.
  func tellViewsAgain() {
    toldViews = [:]
    tellViews()
  }

  /// The slots that the server does not send for now, whole, and why.
  func takePaused(_ slots: [String], _ reason: PauseReason) {
    for subscription in participants.flatMap(\.publications).compactMap(\.subscription) {
      let isPaused = subscription.publication.kind == .video && slots.contains(subscription.mid.rawValue)
      guard subscription.isPaused != isPaused else { continue }
      subscription.pauseReason = isPaused ? reason : nil
      emit(isPaused ? .paused(subscription) : .resumed(subscription))
    }
  }

  /// What of an own track somebody watches.
  func takeWanted(_ wanted: WantedLayers) {
    local.publications.first { $0.mid?.rawValue == wanted.mid }?.publisher.setWanted(wanted)
  }
}
