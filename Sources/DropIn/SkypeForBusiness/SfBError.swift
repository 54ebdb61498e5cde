// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
import Foundation

/// The domain of the SDK's errors.
public let SfBErrorDomain: String! = "SfBErrorDomain"

/// The key of an error's severity in its `userInfo`.
public let SfBErrorSeverityKey: String! = "SfBErrorSeverity"
public let SfBErrorSeveritySuccess: String! = "Success"
/// Something went wrong that the meeting outlives.
public let SfBErrorSeverityWarning: String! = "Warning"
public let SfBErrorSeverityError: String! = "Error"

/// The codes of errors that the SDK names. Methods throw them as `NSError` of ``SfBErrorDomain``.
public enum SfBError: Int, Sendable {
  /// An argument is of no use, such as an empty address of a meeting.
  case invalidArgument = 0x2000_0003
  /// The action isn't possible now; the property `can…` says when it is.
  case actionNotAvailable = 0x2308_0001
  /// Video was asked for before ``SfBConfigurationManager/setEndUserAcceptedVideoLicense()``.
  case videoLicenseNotAccepted = 0x2307_001A

  func because(_ reason: String) -> NSError { ErrorCode(self).error(reason) }
}

/// A code with its symbol: those of ``SfBError``, and those that the SDK only showed in alerts.
struct ErrorCode: Sendable {
  let number: Int
  let symbol: String

  init(_ error: SfBError) {
    number = error.rawValue
    symbol =
      switch error {
      case .invalidArgument: "E_InvalidArgument"
      case .actionNotAvailable: "E_ActionNotAvailable"
      case .videoLicenseNotAccepted: "E_VideoLicenseNotAccepted"
      }
  }

  private init(_ number: Int, _ symbol: String) {
    self.number = number
    self.symbol = symbol
  }

  /// The meeting does not exist, is over, or does not take this guest.
  static let joinForbidden = ErrorCode(0x2309_002F, "E_ConferencingAnonymousJoinClientForbidden")
  /// The server cannot be reached.
  static let noServer = ErrorCode(0x2203_0014, "E_ServerCommunication")
  /// Nothing failed: somebody else did something.
  static let notice = ErrorCode(0, "S_Notice")
  /// A device, the media connection or an encoder failed.
  static let mediaFailed = ErrorCode(0x2203_0005, "E_MediaFailed")

  /// `E<level>-<component>-<number>`, as the SDK prints a code.
  var triple: String { "E\(number >> 24 & 0xF)-\(number >> 16 & 0xFF)-\(number & 0xFFFF)" }

  func error(_ reason: String, severity: String = SfBErrorSeverityError) -> NSError {
    NSError(
      domain: SfBErrorDomain, code: number,
      userInfo: [
        NSLocalizedDescriptionKey: "\(reason) \(symbol) (\(triple))", SfBErrorSeverityKey: severity,
        "Layer": number >> 24 & 0xF, "Component": number >> 16 & 0xFF, "ErrorNumber": number & 0xFFFF,
      ])
  }
}
