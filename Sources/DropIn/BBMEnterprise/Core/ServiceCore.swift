import MessagingClient

/// The other side of the data model: it has the connection, the keys and the chats. The SDK has it as a library of its
/// own, which takes and gives messages of JSON; so does this one, as dictionaries.
///
/// Every message that it delivers is applied to the model in its order. Requests for lists are answered in any order,
/// with their cookie:
///
/// | request | answers |
/// |---|---|
/// | `requestListAll`, `requestListMatching` | some `listChunk {type, elements}`, then `listAll {type, cookie}` |
/// | `requestListElements` | one `listElements {type, elements, cookie}`; elements that are not in it are missing |
/// | `requestListChange` | `listChange`, once it is so |
@MainActor protocol ServiceCore: AnyObject {
  /// The client that signals calls; nil before the first start.
  var signaling: (any CallSignaling)? { get }
  /// Takes what happens to calls.
  var callChanged: ((CallEvent) -> Void)? { get set }
  /// Takes a message for the app.
  var deliver: (([String: Any]) -> Void)? { get set }
  /// Takes whether the server is reached, and whether it is reached and everything that was missed has come.
  var connectivityChanged: ((_ connected: Bool, _ strict: Bool) -> Void)? { get set }

  /// Begins, with what this endpoint has stored for the domain.
  func start(domain: String, environment: BBMConfigEnvironment, completion: @escaping @MainActor (Bool) -> Void)
  /// Ends the connection; what is stored stays. The block is called once the server has heard the goodbyes, or can't.
  func stop(completion: @escaping @MainActor () -> Void)
  /// Removes all that this endpoint has stored, and goes on as if nothing had been.
  func wipe()
  /// Takes a message of the app.
  func send(_ message: [String: Any])
}
