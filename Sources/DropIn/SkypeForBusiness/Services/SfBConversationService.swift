import Parley

/// The part that the services of a conversation share: they are started and stopped.
///
/// Chat and audio start by themselves when the meeting is joined; video is started by the app.
@preconcurrency @MainActor open class SfBConversationService: SfBObject, SfBKeyValueObservable {
  weak var conversation: SfBConversation?

  /// Whether it has been started, and neither stopped nor ended.
  @SfBObserved var isRunning = false
  /// Whether it has ended without the app's doing, and the app has not asked for it since: of video alone.
  @SfBObserved var hasEndedByItself = false

  override class var keys: [ObservableKey] {
    [
      .value("canStart", \SfBConversationService.canStart), .value("canStop", \SfBConversationService.canStop),
    ]
  }

  /// A service of no conversation: nothing can be started.
  public init() { super.init(internal: ()) }

  /// Each kind of service has it as its own, so that none inherits `init()`: the SDK calls theirs unavailable.
  override init(internal: Void) { super.init(internal: ()) }

  /// Whether ``start()`` can be called. False also after video has ended without the app's doing; see
  /// ``SfBVideoService/start()``.
  open var canStart: Bool { isStartable && !hasEndedByItself }

  /// Whether ``stop()`` can be called.
  open var canStop: Bool { conversation?.isEstablished == true && isRunning }

  /// Whether nothing stands in the way of ``start()``.
  var isStartable: Bool { conversation?.isEstablished == true && !isRunning && isAllowed }

  /// Starts the service.
  /// - Throws: `actionNotAvailable` while ``canStart`` is false.
  open func start() throws {
    try require(isStartable, "start()", "canStart")
    isRunning = true
    didStart()
  }

  /// Stops the service.
  /// - Throws: `actionNotAvailable` while ``canStop`` is false.
  open func stop() throws {
    try require(canStop, "stop()", "canStop")
    isRunning = false
    didStop()
  }

  /// Whether the server lets this guest use it.
  var isAllowed: Bool { true }

  func didStart() {}
  func didStop() {}

  /// The server ended what this service sends, or its device is gone: the app did not ask for it.
  func stoppedByHost() {
    guard isRunning else { return }
    isRunning = false
    didStop()
  }

  /// The conversation is over.
  func end() {
    guard isRunning else { return }
    isRunning = false
    didStop()
  }

  func require(_ condition: Bool, _ call: String, _ property: String) throws {
    guard !condition else { return }
    let state = conversation.map { "\($0.state)" } ?? "over"
    throw SfBError.actionNotAvailable.because(
      "\(type(of: self)).\(call) was called while \(property) is false (the conversation is \(state)).")
  }
}
