public import Foundation

/// Who somebody is.
@preconcurrency @MainActor public final class SfBPerson: SfBObject, SfBKeyValueObservable {
  /// An address that no other participant of the meeting has. Nothing can be sent to it.
  @SfBObserved public internal(set) var sipUri: URL
  /// The name that they go by. Show it as text, never as markup.
  @SfBObserved public internal(set) var displayName: String

  override class var keys: [ObservableKey] {
    [.value("sipUri", \SfBPerson.sipUri), .value("displayName", \SfBPerson.displayName)]
  }

  init(name: String, sipUri: URL) {
    displayName = name
    self.sipUri = sipUri
    super.init(internal: ())
  }

  static func address(_ id: String, at host: String) -> URL {
    // What a server calls its participants is letters and digits; the other is for one that does not.
    URL(string: "sip:\(id)@\(host)") ?? URL(fileURLWithPath: "/")
  }
}
