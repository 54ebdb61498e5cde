import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The window of the app, and what its command line adds.
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let options: AppOptions
  private var visitor: PhoneVisitor?

  init(_ options: AppOptions) {
    self.options = options
    super.init()
  }

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let session = AppSession(domain: options.domain ?? BBMConfigManager.default().sdkServiceDomain ?? "")
    let calls = CallCenter(session)
    let phone = PhoneViewController(calls)
    let account = SignInViewController("Soft Phone", session: session) { phone }
    if options.hasVisitor { visitor = PhoneVisitor(options, account, calls, phone) }
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 375, height: 600))
    window.title = "Soft Phone"
    window.rootViewController = UINavigationController(rootViewController: account)
    window.makeKeyAndVisible()
    self.window = window
    visitor?.begin()
    return true
  }

  func applicationWillTerminate(_ application: UIApplication) {
    BBMEnterpriseService.shared().mediaManager().hangup()
    BBMEnterpriseService.shared().stop()
  }
}
