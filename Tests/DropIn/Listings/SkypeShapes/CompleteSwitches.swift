// Switches over all cases of the SDK's enumerations, without a default.
import SkypeForBusiness

enum CompleteSwitches {
  static func word(_ state: SfBConversationState) -> String {
    switch state {
    case .idle: "idle"
    case .establishing: "establishing"
    case .inLobby: "lobby"
    case .established: "established"
    }
  }
  static func word(_ state: SfBAudioServiceMuteState) -> String {
    switch state {
    case .unmuted: "on"
    case .muted: "off"
    case .unmuting: "soon"
    }
  }
  static func word(_ status: SfBMessageStatus, _ direction: SfBMessageDirection) -> String {
    switch (status, direction) {
    case (.pending, .outgoing): "sending"
    case (.failed, .outgoing): "failed"
    case (.succeeded, .outgoing): "sent"
    case (.pending, .incoming), (.failed, .incoming), (.succeeded, .incoming): "received"
    }
  }
  static func word(_ camera: SfBCameraType) -> String {
    switch camera {
    case .unknown: "?"
    case .external: "external"
    case .frontFacing: "front"
    case .backFacing: "back"
    }
  }
}
