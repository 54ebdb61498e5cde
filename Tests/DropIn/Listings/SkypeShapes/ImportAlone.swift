// `import SkypeForBusiness` alone brings Foundation's names; and the constants of errors may be nil by their header.
import SkypeForBusiness

final class JoinRequest: NSObject {
  let made = Date()

  func request(_ text: String) -> URLRequest? {
    guard let url = URL(string: text) else { return nil }
    return URLRequest(url: url)
  }

  func isOfTheSDK(_ error: NSError) -> Bool {
    if let domain = SfBErrorDomain { return error.domain == domain }
    return false
  }
}
