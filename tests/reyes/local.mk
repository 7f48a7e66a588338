# Suites of the renderer: a file for each folder of reyes/.
if HAVE_CUNIT
reyes_ldadd = reyes/libreyes.a $(reyes_libs) libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS) -lm
include %D%/alone.mk
include %D%/image.mk
include %D%/lower.mk
include %D%/render.mk
include %D%/rib.mk
include %D%/scene.mk
include %D%/shade.mk
endif
