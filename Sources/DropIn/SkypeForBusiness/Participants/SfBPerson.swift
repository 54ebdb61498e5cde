public import Foundation

/// The name and address of a participant.
@preconcurrency @MainActor open class SfBPerson: SfBObject, SfBKeyValueObservable {
  /// An address that no other participant of the meeting has. Nothing can be sent to it.
  @SfBObserved open internal(set) var sipUri: URL
  /// The name that they go by. Show it as text, never as markup.
  @SfBObserved open internal(set) var displayName: String

  override class var keys: [ObservableKey] {
    [.value("sipUri", \SfBPerson.sipUri), .value("displayName", \SfBPerson.displayName)]
  }

  init(name: String, sipUri: URL) {
    displayName = name
    self.sipUri = sipUri
    super.init(internal: ())
  }

  static func address(_ id: String, at host: String) -> URL {
    // A server's participant ids are letters and digits; the other URL is for a server whose ids aren't.
    URL(string: "sip:\(id)@\(host)") ?? URL(fileURLWithPath: "/")
  }
}
