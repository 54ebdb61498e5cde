import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The window of the app, and what its command line adds.
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let options: AppOptions
  private var visitor: Visitor?

  init(_ options: AppOptions) {
    self.options = options
    super.init()
  }

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let controller = AccountViewController(domain: options.domain ?? BBMConfigManager.default().sdkServiceDomain)
    if options.hasVisitor {
      let visitor = Visitor(options, controller)
      self.visitor = visitor
      controller.visitor = visitor
    }
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 375, height: 480))
    window.title = "Quick Start"
    window.rootViewController = UINavigationController(rootViewController: controller)
    window.makeKeyAndVisible()
    self.window = window
    visitor?.begin()
    return true
  }

  func applicationWillTerminate(_ application: UIApplication) { BBMEnterpriseService.shared().stop() }
}
