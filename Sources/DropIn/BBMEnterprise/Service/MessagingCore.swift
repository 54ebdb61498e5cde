@MainActor final class MessagingCore: ServiceCore {
  var deliver: (([String: Any]) -> Void)?
  var connectivityChanged: ((_ connected: Bool, _ strict: Bool) -> Void)?
  func start(domain: String, environment: BBMConfigEnvironment, completion: @escaping @MainActor (Bool) -> Void) {
    completion(false)
  }
  func stop() {}
  func wipe() {}
  func send(_ message: [String: Any]) {}
}
