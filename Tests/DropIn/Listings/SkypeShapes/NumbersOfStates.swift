// Numbers of states that an app keeps and sends: of 32 bits, those of errors of 64.
import SkypeForBusiness

enum NumbersOfStates {
  static let states: [Int32] = [SfBConversationState.established.rawValue, SfBActivityType.message.rawValue]
  static let alert: Int32 = SfBAlertType.conferenceIsRecording.rawValue
  static let error: Int = SfBError.videoLicenseNotAccepted.rawValue
  static func level(_ number: Int32) -> SfBAlertLevel? { SfBAlertLevel(rawValue: number) }
}
