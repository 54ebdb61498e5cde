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
    var carried: [String: String] = [:]
    for subscription in participants.flatMap(\.publications).compactMap(\.subscription) {
      let mid = subscription.mid.rawValue
      carried[mid] = subscription.publication.id
      let told = toldViews[mid]
      // The server forgets what was said of a slot when that carries something else, unless it was said at that moment.
      let isKnown = told?.publication == subscription.publication.id
      let most = Int(UInt16.max)
      guard let view = subscription.view ?? (told == nil ? nil : SlotView(mid: mid, width: most, height: most)),
        !isKnown || told?.view != view
      else { continue }
      changed.append(view)
    }
    while !changed.isEmpty {
      let part = Array(changed.prefix(Self.viewsPerMessage))
      changed.removeFirst(part.count)
      guard place?.channel.send(.view(part)) == true else { return }
      for view in part { toldViews[view.mid] = (carried[view.mid] ?? "", view) }
    }
  }

  /// A server that knows nothing of them is told all views again.
  func tellViewsAgain() {
    toldViews = [:]
    tellViews()
  }

  /// The slots that the server does not send for now, whole, and why.
  func takePaused(_ slots: [String], _ reason: PauseReason) {
    paused = (Set(self.slots.filter { slots.contains($0.mid) }.compactMap(\.publication)), reason)
    for subscription in participants.flatMap(\.publications).compactMap(\.subscription) { tellPause(subscription) }
  }

  /// Takes over whether the server sends what `subscription` is of. It may have said so before there was a subscription.
  func tellPause(_ subscription: Subscription) {
    let publication = subscription.publication
    let isPaused = publication.kind == .video && paused.publications.contains(publication.id)
    guard subscription.isPaused != isPaused else { return }
    subscription.pauseReason = isPaused ? paused.reason : nil
    emit(isPaused ? .paused(subscription) : .resumed(subscription))
  }

  /// What of an own track somebody watches.
  func takeWanted(_ wanted: WantedLayers) {
    local.publications.first { $0.mid?.rawValue == wanted.mid }?.publisher.setWanted(wanted)
  }
}
