import Basics
import RTC
import Signaling

extension Meeting {
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

  /// Reports the views that the server doesn't know.
  func tellViews() {
    let slots = participants.flatMap(\.publications).compactMap(\.subscription).map {
      ViewReports.Slot(mid: $0.mid.rawValue, publication: $0.publication.id, view: $0.view)
    }
    for part in views.changes(in: slots) {
      guard signaling?.channel.send(.view(part)) == true else { return }
      views.add(part, of: slots)
    }
  }

  /// Reports all views again, to a server that doesn't know them.
  func tellViewsAgain() {
    views.removeAll()
    tellViews()
  }

  /// The slots that the server does not send for now, whole, and why.
  func takePaused(_ slots: [String], _ reason: PauseReason) {
    self.slots.pause(slots, for: reason)
    for subscription in participants.flatMap(\.publications).compactMap(\.subscription) { tellPause(subscription) }
  }

  /// Takes over whether the server sends what `subscription` is of. It may have said so before there was a
  /// subscription.
  func tellPause(_ subscription: Subscription) {
    let reason = slots.pauseReason(of: subscription.publication)
    guard subscription.isPaused != (reason != nil) else { return }
    subscription.pauseReason = reason
    emit(reason == nil ? .resumed(subscription) : .paused(subscription))
  }

  /// The layers of own tracks that somebody watches.
  func takeWanted(_ wanted: WantedLayers) {
    local.publications.first { $0.mid?.rawValue == wanted.mid }?.publisher.setWanted(wanted)
  }
}
