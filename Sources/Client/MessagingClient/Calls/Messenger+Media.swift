extension Messenger {
  /// Has the media of calls carried from now on. Without it, the app does so with the meetings of
  /// ``CallEvent/connect(_:_:)``.
  package func setMedia(_ media: (any CallMedia)?) { runner.media = media }

  /// Joins and leaves the meetings of calls, one step after the other.
  func carry(_ event: CallEvent) {
    guard let media = runner.media else { return }
    let before = runner.mediaWork
    switch event {
    case .connect(let call, let meeting):
      runner.mediaWork = Task {
        await before?.value
        await media.join(call, meeting)
      }
    case .ended(let call):
      runner.mediaWork = Task {
        await before?.value
        await media.leave(call.id)
      }
    case .offered, .changed, .update, .refused: break
    }
  }
}
