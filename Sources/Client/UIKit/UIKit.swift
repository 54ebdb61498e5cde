/// UIKit's names where the system has no UIKit: those of ParleyViews, and Foundation's, as the real one brings them.
@_exported public import ParleyViews
