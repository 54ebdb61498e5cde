public import Foundation
import Parley

/// The SDK's beginning: joins meetings.
///
/// ```swift
/// let application = SfBApplication.shared()!
/// let session = try application.joinMeetingAnonymous(withDiscover: url, authToken: token, displayName: "Jake")
/// let conversation = session.conversation
/// ```
@preconcurrency @MainActor open class SfBApplication: SfBObject, SfBKeyValueObservable {
  fileprivate static let only = SfBApplication()

  /// The only one; of a subclass nil, since there is no second one.
  open class func shared() -> Self? { only as? Self }
  /// The only one, for `let sfb: SfBApplication = …`, as apps from before the header said that it may be nil have it.
  @_disfavoredOverload public class func shared() -> SfBApplication { only }

  /// The settings of all meetings.
  open private(set) var configurationManager = SfBConfigurationManager()
  open private(set) var devicesManager = SfBDevicesManager()

  /// Receives the alerts that concern no conversation, such as a server that cannot be reached.
  open var alertDelegate: (any SfBAlertDelegate)? {
    get { alerts.delegate }
    set { alerts.delegate = newValue }
  }

  override class var keys: [ObservableKey] {
    [
      .value("configurationManager", \SfBApplication.configurationManager),
      .value("devicesManager", \SfBApplication.devicesManager),
    ]
  }

  let alerts = AlertQueue()
  /// The conversation that the SDK keeps alive until it is over.
  private var current: SfBConversation?
  /// The last goodbye, under way or done. It is over when those before it are.
  private var goodbye: Task<Void, Never>?

  /// The ids that servers gave this app's guests, the newest last: by them own messages are known after joining again.
  private(set) var ownIDs: [String] = []

  /// How meetings are joined.
  var options = JoinOptions()
  /// Whether the way out leads over a mobile network.
  var isCellular: () -> Bool = { NetworkPath.isCellular }

  init() {
    super.init(internal: ())
    options.client = "SkypeForBusiness"
    configurationManager.channelsChanged = { [weak self] in self?.current?.refreshVideo() }
  }

  /// Joins a meeting by its address. Another one that is joined is left first.
  ///
  /// Returns at once. The conversation's state shows the progress of joining, and an alert reports a failure.
  /// - Throws: `invalidArgument` when the address isn't one of a meeting, or the name is empty.
  @discardableResult open func joinMeetingAnonymous(
    withUri meetingUri: URL, displayName: String
  ) throws -> SfBAnonymousSession {
    try check(displayName)
    let meeting: Meeting
    do throws(JoinError) {
      meeting = try Meeting(meetingUri.absoluteString, name: displayName, options: options)
    } catch {
      throw SfBError.invalidArgument.because("The meeting's address is of no use. \(error.description)")
    }
    return join(meeting, host: meetingUri.host)
  }

  /// Joins a meeting by the discover address and the token that the app's service gave. Another one that is joined is
  /// left first.
  ///
  /// - Throws: `invalidArgument` when the address isn't an http or https address, or the token or the name is empty.
  @discardableResult open func joinMeetingAnonymous(
    withDiscover discoverUrl: URL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    guard let scheme = discoverUrl.scheme?.lowercased(), ["http", "https"].contains(scheme),
      discoverUrl.host?.isEmpty == false
    else {
      throw SfBError.invalidArgument.because(
        "The discover address is of no use: an address that begins with http:// or https:// and names a server is expected."
      )
    }
    guard !authToken.isEmpty else {
      throw SfBError.invalidArgument.because(
        "The token is empty: the one that was given together with the discover address is expected.")
    }
    try check(displayName)
    let meeting = Meeting(
      discover: discoverUrl.absoluteString, token: Secret(authToken), name: displayName, options: options)
    return join(meeting, host: discoverUrl.host)
  }

  private func check(_ displayName: String) throws {
    guard displayName.contains(where: { !$0.isWhitespace }) else {
      throw SfBError.invalidArgument.because("The display name is empty: a name for the others to see is expected.")
    }
  }

  private func join(_ meeting: Meeting, host: String?) -> SfBAnonymousSession {
    let earlier = current
    let conversation = SfBConversation(meeting, host: host ?? "localhost", application: self)
    current = conversation
    // An observer of the earlier one is called at once and may join yet another: then this one is over before it began.
    earlier?.leaveIfNeeded()
    if conversation.state != .idle { conversation.begin(after: goodbye) }
    return SfBAnonymousSession(conversation)
  }

  /// Whether audio or video waits for another network.
  func requiresWifi(for type: SfBAlertType) -> Bool {
    let isRequired =
      type == .video ? configurationManager.requireWifiForVideo : configurationManager.requireWifiForAudio
    return isRequired && isCellular()
  }

  /// Waits until the server knows that the last conversation is left.
  func everythingIsLeft() async {
    current?.leaveIfNeeded()
    await goodbye?.value
  }

  /// Leaves a meeting, and reports when the server hasn't heard of it. The next one is joined when the server has heard
  /// of this leaving and of all before it.
  func leave(_ conversation: SfBConversation) {
    let (meeting, alerts) = (conversation.meeting, alerts)
    let wasSeen = conversation.state == .established || conversation.isServerLost
    goodbye = Task { [earlier = goodbye] in
      await meeting.leave()
      if wasSeen, !meeting.isGoodbyeHeard {
        let text = "The server has not answered the goodbye: the others may see you until it notices that you left."
        alerts.post(.signOut, .warning, ErrorCode.noServer.error(text, severity: SfBErrorSeverityWarning))
      }
      await earlier?.value
    }
  }

  /// A server has given a guest of this app an id.
  func remember(_ id: String) {
    guard !ownIDs.contains(id) else { return }
    ownIDs = ownIDs.suffix(99) + [id]
  }

  /// A conversation is over and need not be kept.
  func letGo(of conversation: SfBConversation) {
    if current === conversation { current = nil }
  }
}

/// A guest's stay in one meeting. Leaving ``conversation`` ends it.
@preconcurrency @MainActor open class SfBAnonymousSession: SfBObject, SfBKeyValueObservable {
  /// The conversation of the meeting; one that is over, of a session that no joining gave.
  open private(set) lazy var conversation = SfBConversation.over

  override class var keys: [ObservableKey] { [.value("conversation", \SfBAnonymousSession.conversation)] }

  /// A session of no meeting.
  public init() { super.init(internal: ()) }

  init(_ conversation: SfBConversation) {
    super.init(internal: ())
    self.conversation = conversation
  }
}

extension SfBConversation {
  /// One of no meeting, which is over.
  fileprivate static var over: SfBConversation {
    let meeting = Meeting(discover: "", token: Secret(""), name: "", options: JoinOptions())
    let conversation = SfBConversation(meeting, host: "localhost", application: .only)
    conversation.finish()
    return conversation
  }
}
