// The audio session manager is a protocol, which a device of an app may be.
import AVFoundation
import OpenTok

class CallAudio: NSObject, OTAudioSessionManager {
  private(set) var calls: [String] = []
  func enableCallingServicesMode() { calls.append("mode") }
  func preconfigureAudioSessionForCall(withMode mode: AVAudioSession.Mode?) { calls.append("prepare") }
  func audioSessionDidActivate(_ session: AVAudioSession) { calls.append("on") }
  func audioSessionDidDeactivate(_ session: AVAudioSession) { calls.append("off") }

  static func answer(_ manager: OTAudioSessionManager? = OTAudioDeviceManager.currentAudioSessionManager()) {
    manager?.preconfigureAudioSessionForCall(withMode: .voiceChat)
    manager?.audioSessionDidActivate(AVAudioSession.sharedInstance())
  }
}
