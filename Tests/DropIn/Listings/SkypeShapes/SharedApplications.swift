// The application is had from the class, as an optional or not, and as a function.
import SkypeForBusiness

enum SharedApplications {
  @MainActor static var all: [SfBApplication?] {
    let plain: SfBApplication = SfBApplication.shared()
    let optional: SfBApplication? = SfBApplication.shared()
    let old: SfBApplication? = SfBApplication.sharedApplication()
    let make: @MainActor () -> SfBApplication? = SfBApplication.shared
    guard let bound = SfBApplication.shared() else { return [] }
    return [plain, optional, old, make(), bound]
  }
}
