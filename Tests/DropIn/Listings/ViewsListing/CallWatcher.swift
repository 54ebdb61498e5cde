// Names of Apple's frameworks that apps of calls use besides the SDK's: permissions, other apps' calls, a pool.
import AVFoundation
import CallKit
import UIKit

class CallWatcher: NSObject, CXCallObserverDelegate {
  private let observer = CXCallObserver()
  private(set) var changes = 0

  override init() {
    super.init()
    observer.setDelegate(self, queue: nil)
  }

  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
    if call.hasConnected && !call.hasEnded { changes += 1 }
  }

  /// Whether the app may capture and nobody calls.
  func isReady() throws -> Bool {
    let session = AVAudioSession.sharedInstance()
    try session.setPreferredOutputNumberOfChannels(1)
    try session.setPrefersNoInterruptionsFromSystemAlerts(true)
    return autoreleasepool {
      AVCaptureDevice.authorizationStatus(for: .video) == .authorized && observer.calls.isEmpty
    }
  }

  func ask(_ tell: @escaping @Sendable (Bool) -> Void) {
    AVCaptureDevice.requestAccess(for: .audio, completionHandler: tell)
  }
}
