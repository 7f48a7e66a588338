reyes_sources += %D%/atmosphere.h %D%/environment.h %D%/imager.h %D%/light.h %D%/point.h \
	%D%/shade.h %D%/shadow.h %D%/surface.h %D%/texture.h %D%/vars.h
