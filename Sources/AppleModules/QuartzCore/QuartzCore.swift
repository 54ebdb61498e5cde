/// What there is of QuartzCore on Linux, with UIKit's names as the real one's users have them: an app's import line stays as it is.
@_exported public import ParleyViews
