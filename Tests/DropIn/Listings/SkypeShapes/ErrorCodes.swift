// Errors are NSErrors, and their codes are compared with the SDK's numbers and domain.
import Foundation
import SkypeForBusiness

enum ErrorCodes {
  static func word(_ error: Error) -> String {
    let error = error as NSError
    guard error.domain == SfBErrorDomain, let code = SfBError(rawValue: error.code) else { return "other" }
    let severity = error.userInfo[SfBErrorSeverityKey] as? String
    switch code {
    case .invalidArgument: return "argument"
    case .actionNotAvailable: return severity == SfBErrorSeverityWarning ? "later" : "not now"
    case .videoLicenseNotAccepted: return "licence"
    }
  }
}
