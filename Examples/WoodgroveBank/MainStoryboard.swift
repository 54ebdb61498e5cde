import Foundation
import UIKit

/// The content of a `Main.storyboard`: the screens by their identifiers, and the ways between them.
@MainActor enum MainStoryboard {
  static func make() -> UIStoryboard {
    let main = UIStoryboard(name: "Main", bundle: nil)
    main.register("Start", isInitial: true) {
      UINavigationController(rootViewController: main.instantiateViewController(withIdentifier: "Login"))
    }
    main.register("Login") { LoginViewController() }
    main.register("AddMeetingURL") { AddMeetingURLViewController() }
    main.register("Settings") { SettingsViewController() }
    main.register("Documentation") { DocumentationViewController() }
    main.register("Main") { MainViewController() }
    main.register("OnlineMain") { OnlineMainViewController() }
    main.register("Accounts") { AccountsTableViewController() }
    main.register("OnlineMeeting") { OnlineMeetingViewController() }
    main.register("MicrosoftLicenseViewController") { MicrosoftLicenseViewController() }
    main.register("Chat") { ChatViewController() }
    main.register("Video") { VideoViewController() }

    main.registerSegue("signIn", from: "Login", to: "Main")
    main.registerSegue("signInOnline", from: "Login", to: "OnlineMain")
    main.registerSegue("addMeetingURL", from: "Login", to: "AddMeetingURL", kind: .presentModally)
    main.registerSegue("settings", from: "Login", to: "Settings", kind: .presentModally)
    main.registerSegue("documentation", from: "Settings", to: "Documentation", kind: .presentModally)
    main.registerSegue("askAgentText", from: "Main", to: "Chat")
    main.registerSegue("askAgentVideo", from: "Main", to: "Video")
    main.registerSegue("onlineMeeting", from: "OnlineMain", to: "OnlineMeeting")
    main.registerSegue("joinOnlineChat", from: "OnlineMeeting", to: "Chat")
    main.registerSegue("joinOnlineAudioVideoChat", from: "OnlineMeeting", to: "Video")
    return main
  }
}
