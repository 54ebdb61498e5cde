import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The window of the app, and what its command line adds.
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let options: AppOptions
  private var visitor: ChatVisitor?

  init(_ options: AppOptions) {
    self.options = options
    super.init()
  }

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let session = AppSession(domain: options.domain ?? BBMConfigManager.default().sdkServiceDomain ?? "")
    let chats = ChatListViewController(session)
    let account = SignInViewController("Simple Chat", session: session) { chats }
    if options.hasVisitor { visitor = ChatVisitor(options, account, session, chats) }
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 375, height: 600))
    window.title = "Simple Chat"
    window.rootViewController = UINavigationController(rootViewController: account)
    window.makeKeyAndVisible()
    self.window = window
    visitor?.begin()
    return true
  }

  func applicationWillEnterForeground(_ application: UIApplication) {
    BBMEnterpriseService.shared().sendMessage(toService: BBMRetryServerRequestsMessage())
  }

  func applicationWillTerminate(_ application: UIApplication) { BBMEnterpriseService.shared().stop() }
}
