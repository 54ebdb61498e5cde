import Foundation
import UIKit
import SkypeForBusiness

class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  /// The conversation that is left when the app ends.
  weak var conversation: SfBConversation? {
    didSet { recorder = Journal.isKept ? conversation.map(Recorder.init) : nil }
  }

  private var recorder: Recorder?
  private let options: Options
  private var hands: Hands?

  init(_ options: Options) {
    self.options = options
    super.init()
  }

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    initializeSkype()
    if let server = options.server {
      Settings.meetingRequestURL = server + "/GetAdhocMeetingJob"
      Settings.tokenRequestURL = server + "/GetAnonTokenJob"
    }
    if let size = options.size { UIScreen.main.bounds.size = CGSize(width: size.width, height: size.height) }

    let window = UIWindow(frame: UIScreen.main.bounds)
    window.title = "Woodgrove Bank"
    window.rootViewController = MainStoryboard.make().instantiateInitialViewController()
    window.makeKeyAndVisible()
    self.window = window

    if let script = options.script {
      let hands = Hands(window)
      self.hands = hands
      hands.begin(script)
    }
    return true
  }

  private func initializeSkype() {
    guard let sfb = SfBApplication.shared() else { return }
    sfb.configurationManager.maxVideoChannels = 1
    sfb.configurationManager.requireWifiForAudio = false
    sfb.configurationManager.requireWifiForVideo = false
    sfb.configurationManager.enablePreviewFeatures = Settings.enablesPreview
    sfb.devicesManager.selectedSpeaker.activeEndpoint = .loudspeaker
    sfb.alertDelegate = self
  }

  func applicationWillTerminate(_ application: UIApplication) {
    guard let conversation, conversation.canLeave else { return }
    try? conversation.leave()
  }
}

extension AppDelegate: SfBAlertDelegate {
  func didReceive(_ alert: SfBAlert) { alert.show() }
}
